// Package textfile describes how text files are written: the dialects of CSV files and of JSON lines.
package textfile

// JSONL names the members that are read.
type JSONL struct {
	// Columns maps the paths of members to types, as in CSV files: text, int, float, bool, date, "date LAYOUT" and
	// "timestamp LAYOUT".
	Columns map[string]string
}
