package configs

// Input is the private table: one or more files with one schema. A column within structs of Parquet or Arrow files has
// its path as its name: `address.city`, and `items.price` for the numbers in a list of structs.
type Input struct {
	// Files are paths or patterns (* ? [a-z]), relative to the job file. The extension names the format: .parquet,
	// .arrow, .feather, .csv, .txt, .data, .tsv, .tab, .jsonl or .ndjson. A compressed text file has .gz, .zst, .bz2 or
	// .xz after it. Objects of stores have addresses: `s3://bucket/trips/*.parquet`, gs://, az://, and https:// for one
	// file of a web server; an address that ends with a slash stands for all objects below
	// ([object stores](../howto/object-stores.md)). `["-"]` with `format: arrow` or `parquet` is a table on standard
	// input, which is copied into an encrypted file without a name in `--tmp-dir` or the system's folder for temporary
	// files.
	// An input has files or sql.
	Files []string `yaml:"files,omitempty" example:"[\"trips-*.parquet\"]"`
	// SQL is a table of a database, or what a statement selects there, instead of files.
	SQL *SQL `yaml:"sql,omitempty" example:"{driver: postgres, dsn: \"${env:DSN}\", table: public.trips}"`
	// Format of the files, whatever their extension. If a name ends with .gz, .zst, .bz2 or .xz, the text is
	// compressed.
	Format string `yaml:"format,omitempty" enum:"csv|tsv|parquet|arrow|jsonl" example:"csv"`
	// Timezone is the IANA zone in which times without a zone are read and parts of a time are taken.
	Timezone string `yaml:"timezone,omitempty" example:"America/New_York"`
	// Rows is the public number of rows, with `adjacency: replace-one` only; a table of another length is an error. If
	// a CSV file has too few rows, its blank lines and comments count as rows without values, up to that number.
	Rows int64 `yaml:"rows,omitempty" min:"1" example:"45222"`
	// CSV says how CSV files are read; it has no effect on other formats.
	CSV CSV `yaml:"csv,omitempty" example:"{delimiter: \";\"}"`
	// JSONL says which members of JSON lines are read; it has no effect on other formats.
	JSONL *JSONL `yaml:"jsonl,omitempty" example:"{columns: {age: int}}"`
	// Folders are columns that are not in the files but in the names of their folders, NAME=VALUE, with their types as in
	// `csv.types`. Filters on whole numbers, dates and timestamps then leave out whole files.
	Folders map[string]string `yaml:"folders,omitempty" example:"{day: date}"`
	// Events turn each row into one event for each entry. Filters and bounds then apply to events.
	Events []Event `yaml:"events,omitempty" empty:"ok" example:"[{lat: pickup_latitude, lon: pickup_longitude}]"`
	// Where keeps the rows that meet every condition.
	Where []Filter `yaml:"where,omitempty" empty:"ok" example:"[{column: sex, in: [Male]}]"`
	// Statistics says whether filters use the statistics in Parquet files. With `use`, a row group is skipped if the
	// stated min and max of an integer, date or timestamp show that none of its rows passes the filters; `use` if it is
	// absent. With `ignore`, every row is read.
	Statistics string `yaml:"statistics,omitempty" enum:"use|ignore" example:"ignore"`
}

// SQL is an input in a database: a table or a query.
type SQL struct {
	// Driver names the engine and its dialect of SQL.
	Driver string `yaml:"driver" enum:"duckdb|postgres|clickhouse|trino|spark" example:"postgres"`
	// DSN is the connection string as the engine's driver reads it, preferably `${env:NAME}`. It never appears in a
	// release, a message or the ledger.
	DSN string `yaml:"dsn,omitempty" example:"\"${env:DSN}\""`
	// Table is the name of the table, with its schema and catalogue before it if there are any, between points:
	// `public.trips`. Each part is quoted as it stands. A parameter in it is of letters, digits and `_`.
	Table string `yaml:"table,omitempty" example:"public.trips"`
	// Query is one SELECT statement that gives the rows, instead of a table. It is sent as it stands and is public, as the
	// job is. It must not fail on any value, gives the same rows each time, and has no references: choose rows of a day
	// with `where`.
	Query string `yaml:"query,omitempty" example:"\"SELECT * FROM read_parquet('trips/*.parquet')\""`
}

// CSV is the dialect of CSV files. Columns are text unless typed.
type CSV struct {
	// Header says whether the first line holds the columns' names.
	Header *bool `yaml:"header,omitempty" default:"true"`
	// Columns are the names of the columns in order; required if there is no header. They replace the names of a
	// header.
	Columns []string `yaml:"columns,omitempty" example:"[age, workclass]"`
	// Types of columns that are not text: int, float, bool, `date` and `timestamp`, each with a layout that shows how
	// the time 2006-01-02 15:04:05 is written: `date 2/1/2006` (which also reads days and months with a leading 0).
	// Several layouts are separated by ` | `; the first one that fits a text reads it. A date without a layout is
	// 2006-01-02.
	Types map[string]string `yaml:"types,omitempty" example:"{age: int, day: \"date 2/1/2006\", t: \"timestamp 2006-01-02 15:04:05\"}"`
	// Encoding of the text. A byte that is no character is read as the control character of the same number. Only files in
	// utf-16 state their byte order by a mark, and are little-endian without one; they must have a header.
	Encoding string `yaml:"encoding,omitempty" enum:"utf-8|utf-16|utf-16le|utf-16be|windows-1252|latin-1|latin-9|windows-1250|latin-2|windows-1251|macintosh" example:"windows-1252"`
	// Decimal is the character between the whole part and the fraction of a number; a point if it is absent.
	Decimal string `yaml:"decimal,omitempty" example:"\",\""`
	// Thousands is the character that may separate groups of three digits; none if it is absent. A space also matches a
	// no-break space.
	Thousands string `yaml:"thousands,omitempty" example:"\".\""`
	// Mark says that each file begins with a byte order mark, although it has no header. A mark before a header is
	// always skipped; else, without mark, U+FEFF at the start of a file is a character of its first field.
	Mark *bool `yaml:"mark,omitempty" example:"true"`
	// LineEnd says how the lines of files without a header end; `lf` if it is absent. If it is lf, a carriage return at
	// the end of a line is a part of its last field. In files with a header the end of the header's line says it.
	LineEnd string `yaml:"line_end,omitempty" enum:"lf|crlf" example:"crlf"`
	// Quote is the character around fields that contain delimiters or line breaks; a double quote if it is absent, and
	// `none` if there is no such character, as in files of format tsv if it is absent.
	Quote string `yaml:"quote,omitempty" example:"\"'\""`
	// Delimiter is the character between fields. If it is absent, files of format tsv have a tab.
	Delimiter string `yaml:"delimiter,omitempty" default:"," example:"\";\""`
	// TrimSpace removes spaces around each field.
	TrimSpace bool `yaml:"trim_space,omitempty" default:"false"`
	// NullValues are the texts that mean null, besides the empty field.
	NullValues []Scalar `yaml:"null_values,omitempty" empty:"ok" example:"[\"?\"]"`
	// Comment is the character that begins a comment line: a line before the header or, with `quote: none`, any line. A
	// file without a header needs `quote: none`.
	Comment string `yaml:"comment,omitempty" example:"\"|\""`
}

// JSONL names the columns of JSON lines: files with one JSON object a line.
type JSONL struct {
	// Columns are the members to read, with types as in `csv.types`, and text for texts. A path leads to a nested
	// member: `address.city`. Other members are not read. Text is read of strings only: a number or a truth value there is
	// missing, since 1 and "1" would be one text. Columns of all other types are read of both: 1 and "1" are one int.
	Columns map[string]string `yaml:"columns" example:"{age: int, \"address.city\": text}"`
}

// Event is one event of a row: each name on the left gets the value of the column on the right. All events have the
// same names. The columns of the privacy unit are not among them.
type Event map[string]string

// Filter is one public condition on one column.
type Filter struct {
	// Column that the condition is about.
	Column string `yaml:"column" example:"time"`
	// From keeps values that are not smaller.
	From *Scalar `yaml:"from,omitempty" example:"2013-01-01T00:00:00"`
	// Before keeps values that are smaller.
	Before *Scalar `yaml:"before,omitempty" example:"2013-01-02T00:00:00"`
	// For is the length of the time window that starts at from: a number and s, m, h, d or w.
	For string `yaml:"for,omitempty" example:"1h"`
	// NotNull keeps rows whose value is not null.
	NotNull bool `yaml:"not_null,omitempty" default:"false"`
	// In keeps the values of the list.
	In []Scalar `yaml:"in,omitempty" example:"[Male]"`
	// NotIn keeps all other values.
	NotIn []Scalar `yaml:"not_in,omitempty" example:"[unknown]"`
	// Min keeps values that are not smaller.
	Min *Scalar `yaml:"min,omitempty" example:"0"`
	// Max keeps values that are not larger.
	Max *Scalar `yaml:"max,omitempty" example:"100"`
}
