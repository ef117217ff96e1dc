package configs

// Input is the private table: one or more files with one schema.
type Input struct {
	// Files are paths or patterns (* ? [a-z]), relative to the job file. The extension gives the format: .parquet, .arrow, .feather, .csv, .txt, .data, .tsv, .tab, .jsonl or .ndjson; behind those of texts .gz, .zst, .bz2 or .xz for compressed files.
	Files []string `yaml:"files" example:"[\"trips-*.parquet\"]"`
	// Format is how the files are written, whatever their extension; behind a name that ends with .gz, .zst, .bz2 or .xz the text is compressed.
	Format string `yaml:"format,omitempty" enum:"csv|tsv|parquet|arrow|jsonl" example:"csv"`
	// Timezone is the IANA zone in which times without a zone are read and parts of a time are taken.
	Timezone string `yaml:"timezone,omitempty" example:"America/New_York"`
	// Rows is the public number of rows, with `adjacency: replace-one` only; a table of another length is an error. Blank lines and comments of CSV files count as rows without values if rows are missing to that number.
	Rows int64 `yaml:"rows,omitempty" min:"1" example:"45222"`
	// CSV says how CSV files are read; it has no effect on other formats.
	CSV CSV `yaml:"csv,omitempty" example:"{delimiter: \";\"}"`
	// JSONL says what is read of JSON lines; it has no effect on other formats.
	JSONL *JSONL `yaml:"jsonl,omitempty" example:"{columns: {age: int}}"`
	// Events turn each row into one event an entry; filters and bounds then act on events.
	Events []Event `yaml:"events,omitempty" empty:"ok" example:"[{lat: pickup_latitude, lon: pickup_longitude}]"`
	// Where keeps the rows that meet every condition.
	Where []Filter `yaml:"where,omitempty" empty:"ok" example:"[{column: sex, in: [Male]}]"`
	// Statistics says whether filters use what Parquet files state about their rows: `use`, if it is not set, leaves out row groups of which the stated min and max of an integer, date or timestamp pass no filter; `ignore` reads every row.
	Statistics string `yaml:"statistics,omitempty" enum:"use|ignore" example:"ignore"`
}

// CSV is the dialect of CSV files. Columns are text unless typed.
type CSV struct {
	// Header says whether the first line holds the columns' names.
	Header *bool `yaml:"header,omitempty" default:"true"`
	// Columns are the columns' names in order; needed if there is no header, else they replace the header's names.
	Columns []string `yaml:"columns,omitempty" example:"[age, workclass]"`
	// Types of columns that are not text: int, float, bool, `date` and `timestamp`, each with a layout that shows how the time 2006-01-02 15:04:05 is written: `date 2/1/2006` (with one digit a leading 0 is read, too). Several layouts are separated by ` | `; of those the first one that fits a text reads it. A date without a layout is 2006-01-02.
	Types map[string]string `yaml:"types,omitempty" example:"{age: int, day: \"date 2/1/2006\", t: \"timestamp 2006-01-02 15:04:05\"}"`
	// Encoding of the text. In UTF-16 a byte order mark at the start of a file overrides the order of bytes. A byte that is no character is read as U+FFFD.
	Encoding string `yaml:"encoding,omitempty" enum:"utf-8|utf-16|utf-16le|utf-16be|windows-1252|latin-1|latin-9|windows-1250|latin-2|windows-1251|macintosh" example:"windows-1252"`
	// Decimal is the one character between the whole and the fraction of a number; a point if it is absent.
	Decimal string `yaml:"decimal,omitempty" example:"\",\""`
	// Thousands is the one character that may stand between groups of three digits; if it is absent there is none. A space stands for a space that does not break, too.
	Thousands string `yaml:"thousands,omitempty" example:"\".\""`
	// Quote is the one character around fields that hold delimiters or line ends; a double quote if it is absent, and `none` if no character does that.
	Quote string `yaml:"quote,omitempty" example:"\"'\""`
	// Delimiter is the one character between fields. Files of format tsv have a tab if it is absent.
	Delimiter string `yaml:"delimiter,omitempty" default:"," example:"\";\""`
	// TrimSpace removes spaces around each field.
	TrimSpace bool `yaml:"trim_space,omitempty" default:"false"`
	// NullValues are the texts that stand for a null, beside the empty field.
	NullValues []Scalar `yaml:"null_values,omitempty" empty:"ok" example:"[\"?\"]"`
	// Comment is the one character that makes a line a comment.
	Comment string `yaml:"comment,omitempty" example:"\"|\""`
}

// JSONL names the columns of JSON lines: files with one JSON object a line.
type JSONL struct {
	// Columns are the members that are read, with their types as in `csv.types`, and text for texts. A path leads to a member of a member: `address.city`. What is not named is not read.
	Columns map[string]string `yaml:"columns" example:"{age: int, \"address.city\": text}"`
}

// Event makes one event of a row: the names on the left hold the columns on the right. All events have the same names; those of the privacy
// unit are not among them.
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
