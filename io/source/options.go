package source

import (
	"io"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
)

// Summary describes a split that was read: the Digest of its bytes; the number of rows that were Skipped, because the
// footer shows that none of them passes the filters; and the number of Blank lines and comments of a CSV file.
type Summary = scan.Summary

// Options describes how files are read. CSV and JSONL have no effect on other formats.
type Options struct {
	// Table is the name of the table in messages about its files; "" if a job has one table only.
	Table string
	// Dir is the folder of relative patterns.
	Dir string
	// Files holds paths, globs, URLs of objects (store.Address), and globs of URLs. A URL that ends with a slash means all
	// objects below it. "-" is Stdin.
	Files []string
	// Stdin is the reader for the file "-". Open copies all its bytes into an encrypted file in the folder Scratch,
	// which nobody else can read. Closing the dataset deletes that file.
	Stdin   io.Reader
	Scratch string
	// Format is one of Formats; if it is empty, the files' names give their formats.
	Format string
	CSV    textfile.CSV
	JSONL  textfile.JSONL
	// Exact names the columns, such as those of the privacy unit, in which no two different values may become one by
	// rounding. In these columns, a decimal other than an integer of up to 18 digits is read as a text, a Parquet INT96 as
	// a timestamp in nanoseconds, and an Arrow date64 as a timestamp without a zone in milliseconds. A value that the type
	// does not hold exactly is null.
	Exact []string
	// Folders maps names of columns to their types, for columns that the names of folders hold (NAME=VALUE).
	Folders map[string]string
	// Keeps reports whether rows of a file can pass the filters, by the columns of Folders: a batch of one row, with its
	// schema. If it keeps no file, Open returns an error. nil keeps every file.
	Keeps func(table.Schema, *table.Batch) bool
	// Key is a secret that makes digests unforgeable: without it, nobody can make another file with the same digest. It
	// may be empty.
	Key []byte
	// Workers is the number of cores that may be used. If it is more than 1, one goroutine decompresses a compressed
	// CSV file and another parses it.
	Workers int
}
