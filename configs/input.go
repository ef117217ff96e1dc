package configs

// Input is the private table: one or more files with one schema. A column within structs of Parquet or Arrow files has
// its path as its name: `address.city`, and `items.price` for the numbers in a list of structs.
type Input struct {
	// Files are paths or patterns (* ? [a-z]), relative to the job file. As in a shell, a wildcard does not match a dot at
	// the beginning of a name. The extension names the format: .parquet, .arrow, .feather, .csv, .txt, .data, .tsv, .tab,
	// .jsonl or .ndjson. A compressed text file has .gz, .zst, .bz2 or .xz after it. Objects in stores have URLs:
	// `s3://bucket/trips/*.parquet`, gs://, az://, and https:// for one file of a web server; a URL that ends with a slash
	// means all objects below it ([object stores](../howto/object-stores.md)). An input has files, tables or sql.
	Files []string `yaml:"files,omitempty" example:"[\"trips-*.parquet\"]"`
	// SQL is a table of a database, or the rows that a SELECT statement returns, instead of files.
	SQL *SQL `yaml:"sql,omitempty" example:"{driver: postgres, dsn: \"${env:DSN}\", table: public.trips}"`
	// Tables are several private tables of the same privacy units, by name, instead of files. A query names the table
	// that it reads by `from`. The guarantee protects all rows of a unit in all tables together ([several
	// tables](../howto/ask.md#several-tables)).
	Tables map[string]Table `yaml:"tables,omitempty" example:"{visits: {files: [visits.csv], unit: [person]}}"`
	// Format of the files, whatever their extension. If a name ends with .gz, .zst, .bz2 or .xz, the text is
	// compressed.
	Format string `yaml:"format,omitempty" enum:"csv|tsv|parquet|arrow|jsonl" example:"csv"`
	// Timezone is the IANA zone in which times without a zone are read and parts of a time are taken.
	Timezone string `yaml:"timezone,omitempty" example:"America/New_York"`
	// Rows is the public number of rows, with `adjacency: replace-one` only; a table of another length is an error. If
	// a CSV file has too few rows, its blank lines and comments count as rows without values, up to that number.
	Rows int64 `yaml:"rows,omitempty" min:"1" example:"45222"`
	// CSV is the dialect of CSV files; it has no effect on other formats.
	CSV CSV `yaml:"csv,omitempty" example:"{delimiter: \";\"}"`
	// JSONL names the members to read from JSON lines; it has no effect on other formats.
	JSONL *JSONL `yaml:"jsonl,omitempty" example:"{columns: {age: int}}"`
	// Folders are columns that are not in the files but in the names of their folders, NAME=VALUE, with their types as
	// in `csv.types`. Filters on integers, dates and timestamps then skip whole files.
	Folders map[string]string `yaml:"folders,omitempty" example:"{day: date}"`
	// Missing is `empty` if the table's writer makes no folder for a day without rows. If `where` then keeps no folder,
	// the table has no rows. If the key is absent or `refuse`, such a run ends with exit code 3 and spends nothing: the
	// data may not have arrived yet. Which folders exist is public.
	Missing string `yaml:"missing,omitempty" enum:"refuse|empty" example:"empty"`
	// Counts names the column with the count in each row of a table of counts. Queries then add up these counts instead
	// of rows.
	Counts *Counts `yaml:"counts,omitempty" example:"{column: views}"`
	// Events turn each row into one event for each entry. Filters and bounds then apply to events.
	Events []Event `yaml:"events,omitempty" empty:"ok" example:"[{lat: pickup_latitude, lon: pickup_longitude}]"`
	// Lookups join columns of public tables to each row. Filters, queries, events and `derive` can name these columns.
	Lookups []Lookup `yaml:"lookups,omitempty" empty:"ok" example:"[{file: zones.csv, on: {PULocationID: LocationID}, add: [borough, zone]}]"`
	// Derive makes columns from columns of the same row: the name on the left, an expression on the right ([operators
	// and functions](../howto/ask.md#columns-that-are-computed)). Filters, queries and events can name these
	// columns. A result without a value is null: a division by zero, an overflow, a text that does not parse.
	Derive map[string]string `yaml:"derive,omitempty" example:"{fare_per_km: \"km > 0 ? fare / km : nil\", day: date(pickup)}"`
	// Where keeps the rows that meet every condition.
	Where []Filter `yaml:"where,omitempty" empty:"ok" example:"[{column: sex, in: [Male]}]"`
	// Statistics says whether filters use the statistics in Parquet files. With `use`, which is the default, a row group
	// is skipped if the stated min and max of an integer, date or timestamp show that none of its rows passes the
	// filters. With `ignore`, every row is read.
	Statistics string `yaml:"statistics,omitempty" enum:"use|ignore" example:"ignore"`
}

// Table is one of several private tables. Its keys mean what they mean in input.
type Table struct {
	// Files are paths or patterns, relative to the job file.
	Files []string `yaml:"files" example:"[\"visits-*.parquet\"]"`
	// Format of the files, whatever their extension.
	Format string `yaml:"format,omitempty" enum:"csv|tsv|parquet|arrow|jsonl" example:"csv"`
	// CSV is the dialect of CSV files.
	CSV CSV `yaml:"csv,omitempty" example:"{delimiter: \";\"}"`
	// JSONL names the members to read from JSON lines.
	JSONL *JSONL `yaml:"jsonl,omitempty" example:"{columns: {age: int}}"`
	// Folders are columns that are in the names of the files' folders.
	Folders map[string]string `yaml:"folders,omitempty" example:"{day: date}"`
	// Missing is `empty` if a table of which `where` keeps no folder has no rows; otherwise such a run is refused.
	Missing string `yaml:"missing,omitempty" enum:"refuse|empty" example:"empty"`
	// Unit lists the columns of this table that hold the privacy unit, in the order of `privacy.unit`. A table without
	// them gets the unit from the table of its first join. Later releases from the same budget name the same ones.
	Unit []string `yaml:"unit,omitempty" example:"[person]"`
	// Join adds columns of other tables to each row, one join after the other.
	Join []Join `yaml:"join,omitempty" empty:"ok" example:"[{table: persons, add: [age]}]"`
	// Lookups join columns of public tables to each row.
	Lookups []Lookup `yaml:"lookups,omitempty" empty:"ok" example:"[{file: zones.csv, on: {zone: id}, add: [borough]}]"`
	// Derive makes columns from columns of the same row, also from joined ones.
	Derive map[string]string `yaml:"derive,omitempty" example:"{minutes: \"seconds / 60\"}"`
	// Where keeps the rows that meet every condition. Joins to this table do not see the other rows.
	Where []Filter `yaml:"where,omitempty" empty:"ok" example:"[{column: kind, in: [inpatient]}]"`
}

// Join adds columns of another table to each row, from the other table's row that has the same key. A row has at most
// one partner in the rows of its unit: of several, the smallest by its added columns, of which null is the smallest.
// Without a partner the added columns are null. A null and an empty text are not keys: rows that have one have no
// partner.
type Join struct {
	// Table is the name of the other table, which has a unit of its own.
	Table string `yaml:"table" example:"persons"`
	// On names the columns of the key, apart from the columns of the unit: a column of this table on the left, one of
	// the other table on the right. Without it, rows of the same unit are joined. In a table without a unit it is the
	// whole key, and its rows get the unit of their partner: a row without a partner counts nowhere, and a row whose
	// key several units have counts as a row of each of these units.
	On map[string]string `yaml:"on,omitempty" example:"{l_orderkey: o_orderkey}"`
	// Add names the columns of the other table that each row gets: of its files, lookups and derive. A text of more
	// than 1,024 bytes is null.
	Add []string `yaml:"add,omitempty" empty:"ok" example:"[age, region]"`
	// Prefix is put before the names of the added columns.
	Prefix string `yaml:"prefix,omitempty" example:"person_"`
}

// SQL is an input in a database: a table or a query.
type SQL struct {
	// Driver names the engine and its dialect of SQL.
	Driver string `yaml:"driver" enum:"duckdb|postgres|trino|spark" example:"postgres"`
	// DSN is the connection string as the engine's driver reads it, preferably `${env:NAME}`. It never appears in a
	// release, a message or the ledger.
	DSN string `yaml:"dsn,omitempty" example:"\"${env:DSN}\""`
	// Table is the name of the table, after its catalogue and schema if there are any, separated by points:
	// `public.trips`. Each part is quoted as it stands. A parameter in it consists of letters, digits and `_`.
	Table string `yaml:"table,omitempty" example:"public.trips"`
	// Format of the folder of files that `table` names, with `driver: duckdb` only: an Iceberg or a Delta table, as
	// DuckDB's extension of that name reads it. For an Iceberg table, `table` may be a metadata file. The path is
	// relative to the job file, or a URL; a release names its last part alone.
	Format string `yaml:"format,omitempty" enum:"iceberg|delta" example:"iceberg"`
	// Query is one SELECT statement that returns the rows, instead of a table. It is sent unchanged and is public, like
	// the job. It must not fail on any value, must return the same rows each time, and has no references: choose rows
	// of a day with `where`.
	Query string `yaml:"query,omitempty" example:"\"SELECT * FROM read_parquet('trips/*.parquet')\""`
}

// CSV is the dialect of CSV files. Columns are text unless typed.
type CSV struct {
	// Header is true if the first line holds the columns' names. A line such as `sep=;` before it is skipped: it states
	// the delimiter to Excel.
	Header *bool `yaml:"header,omitempty" default:"true"`
	// Columns are the names of the columns in order; required without a header. They replace the names of a header.
	Columns []string `yaml:"columns,omitempty" example:"[age, workclass]"`
	// Types of columns that are not text: `int`, `float`, `bool`, `date`, `date LAYOUT` or `timestamp LAYOUT`. A layout
	// shows how the time 2006-01-02 15:04:05 is written; `date 2/1/2006` also reads days and months with a leading 0.
	// Several layouts are separated by ` | `; the first one that fits a text reads it. `date` alone reads 2006-01-02.
	Types map[string]string `yaml:"types,omitempty" example:"{age: int, day: \"date 2/1/2006\", t: \"timestamp 2006-01-02 15:04:05\"}"`
	// Encoding of the text. A byte that is not a character is read as the control character with its number. Only
	// utf-16 files state their byte order by a mark; without a mark they are little-endian. They must have a header.
	Encoding string `yaml:"encoding,omitempty" enum:"utf-8|utf-16|utf-16le|utf-16be|windows-1252|latin-1|latin-9|windows-1250|latin-2|windows-1251|macintosh" example:"windows-1252"`
	// Decimal is the character between the whole part and the fraction of a number; a point if it is absent.
	Decimal string `yaml:"decimal,omitempty" example:"\",\""`
	// Thousands is the character that may separate groups of three digits; none if it is absent. A space also matches a
	// no-break space.
	Thousands string `yaml:"thousands,omitempty" example:"\".\""`
	// Mark is true if each file without a header begins with a byte order mark. A mark before a header is always
	// skipped. Without mark, U+FEFF at the start of a file without a header is a character of its first field.
	Mark *bool `yaml:"mark,omitempty" example:"true"`
	// LineEnd is how the lines of files without a header end; `lf` if it is absent. With lf, a carriage return at the
	// end of a line belongs to its last field. In files with a header, the end of the header line decides.
	LineEnd string `yaml:"line_end,omitempty" enum:"lf|crlf" example:"crlf"`
	// Quote is the character around fields that contain delimiters or line breaks, or `none`. If it is absent, it is a
	// double quote, and none in files of format tsv.
	Quote string `yaml:"quote,omitempty" example:"\"'\""`
	// Delimiter is the character between fields. If it is absent, files of format tsv have a tab.
	Delimiter string `yaml:"delimiter,omitempty" default:"," example:"\";\""`
	// TrimSpace removes spaces around each field.
	TrimSpace bool `yaml:"trim_space,omitempty" default:"false"`
	// NullValues are the texts that mean null. The empty field is null in columns of all types but text, where it is
	// the empty text unless it is listed here.
	NullValues []Scalar `yaml:"null_values,omitempty" empty:"ok" example:"[\"?\"]"`
	// Comment is the character that begins a comment line: a line before the header or, with `quote: none`, any line. A
	// file without a header needs `quote: none`.
	Comment string `yaml:"comment,omitempty" example:"\"|\""`
}

// JSONL names the columns of JSON lines: files with one JSON object a line.
type JSONL struct {
	// Columns are the members to read, with types as in `csv.types`, and text for strings. A path leads to a nested
	// member: `address.city`. Other members are not read. A text column reads strings only: a number or boolean there
	// is missing, since 1 and "1" would be one text. Columns of all other types read both: 1 and "1" are one int.
	Columns map[string]string `yaml:"columns" example:"{age: int, \"address.city\": text}"`
}

// Lookup joins columns of a public table to each row, from the public row that has the same key. A row whose key is not
// in the public table, or is null, gets nulls.
type Lookup struct {
	// File with the public table, relative to the job file: a Parquet or Arrow file, or a CSV file with a header. It
	// must hold nothing private. Its contents are part of the run fingerprint.
	File string `yaml:"file" example:"zones.csv"`
	// On names the columns of the key: a column of the input on the left, the column of the file with the same values
	// on the right. Keys are compared by the type of the input's column: numbers by value, dates and times by instant,
	// texts byte by byte. No two rows of the file may have the same key. A row of the file with an empty key is left
	// out.
	On map[string]string `yaml:"on" example:"{PULocationID: LocationID}"`
	// To names a column of the file with the last value of a range. The key of `on` is then the first value of the
	// range: an input row joins the row of the file whose range contains its value. `on` then has one column, of
	// integers or dates, and no two ranges have a value in common. A row of the file without a last value is left out:
	// for a range that has not ended, write a date far in the future.
	To string `yaml:"to,omitempty" example:"ip_to"`
	// Add names the columns of the file that each row gets. An empty text in them is a null.
	Add []string `yaml:"add" example:"[borough, zone]"`
	// Prefix is put before the names of the added columns, so that one file can be joined twice.
	Prefix string `yaml:"prefix,omitempty" example:"pickup_"`
	// Types of added columns that are not text, by their names in the file: int, float, bool or date (2006-01-02).
	Types map[string]string `yaml:"types,omitempty" example:"{population: int}"`
}

// Counts is a table whose rows are counts already. `privacy.unit` then is a mapping with upstream, and queries are
// count, histogram and crosstabs.
type Counts struct {
	// Column of the counts, which are integers. No other key of the job may name this column. A null or negative count
	// is read as 0, and a count above 2^40 as 2^40.
	Column string `yaml:"column" example:"views"`
}

// Names returns the names of the added columns, in the order of Add.
func (l *Lookup) Names() []string {
	names := make([]string, len(l.Add))
	for i, name := range l.Add {
		names[i] = l.Prefix + name
	}
	return names
}

// Event is one event of a row: each name on the left gets the value of the column on the right. All events have the
// same names. The columns of the privacy unit are not among them.
type Event map[string]string

// FolderFilters returns the filters on columns of folders, which keep or drop whole files by their public names.
// Filters on names that events give to columns are not among them.
func (in *Input) FolderFilters() (filters []Filter) {
	for i := range in.Where {
		name := in.Where[i].Column
		if _, inName := in.Folders[name]; !inName {
			continue
		}
		if len(in.Events) > 0 {
			if _, renamed := in.Events[0][name]; renamed {
				continue
			}
		}
		filters = append(filters, in.Where[i])
	}
	return filters
}

// Filter is one public condition on one column.
type Filter struct {
	// Column that the condition is about.
	Column string `yaml:"column" example:"time"`
	// From is the start of a half-open range: it keeps values x with from <= x.
	From *Scalar `yaml:"from,omitempty" example:"2013-01-01T00:00:00"`
	// Before is the end of a half-open range: it keeps values x with x < before.
	Before *Scalar `yaml:"before,omitempty" example:"2013-01-02T00:00:00"`
	// For is the length of the time interval that starts at from: an integer and s, m, h, d or w.
	For string `yaml:"for,omitempty" example:"1h"`
	// NotNull keeps rows whose value is not null.
	NotNull bool `yaml:"not_null,omitempty" default:"false"`
	// In keeps the values of the list.
	In []Scalar `yaml:"in,omitempty" example:"[Male]"`
	// NotIn keeps all other values except nulls.
	NotIn []Scalar `yaml:"not_in,omitempty" example:"[unknown]"`
	// Min is the smallest value of a closed range: it keeps values x with min <= x.
	Min *Scalar `yaml:"min,omitempty" example:"0"`
	// Max is the largest value of a closed range: it keeps values x with x <= max.
	Max *Scalar `yaml:"max,omitempty" example:"100"`
}
