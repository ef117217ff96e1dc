// Package textfile has the options that describe how text files are written: CSV files and JSON lines.
package textfile

// JSONL names the members of the JSON objects that are read as columns.
type JSONL struct {
	// Columns maps the paths of members to types, as in CSV files: text, int, float, bool, date, "date LAYOUT" and
	// "timestamp LAYOUT".
	Columns map[string]string
}
