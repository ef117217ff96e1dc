package source

import (
	"io"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/source/textfile"
)

// Summary describes a split that was read: the Digest of its bytes, the number of its rows that were Skipped because
// the footer shows that no filter passes them, and the number of Blank lines and comments in a CSV file.
type Summary = scan.Summary

// Options describes how files are read. CSV and JSONL have no effect on other formats.
type Options struct {
	// Dir is the folder of relative patterns.
	Dir string
	// Files holds paths, globs, URLs of objects (store.Address), and globs of URLs. A URL that ends with a slash means all
	// objects below it. "-" is Stdin.
	Files []string
	// Stdin is the reader for the file "-". Open copies it whole into an encrypted file in the folder Scratch, which
	// nobody else can read; closing the dataset deletes it.
	Stdin   io.Reader
	Scratch string
	// Format is one of Formats; if it is empty, the files' names give their formats.
	Format string
	CSV    textfile.CSV
	JSONL  textfile.JSONL
	// Exact names the columns in which different values must stay different: the columns of the privacy unit. In them,
	// a decimal that is not an Int is a text, an INT96 a timestamp in nanoseconds, and a date64 a wall-clock reading in
	// milliseconds. A value that its type does not hold exactly is null.
	Exact []string
	// Folders maps the columns that are in the names of folders (NAME=VALUE) to their types.
	Folders map[string]string
	// Key is a secret that makes digests unforgeable: without it, nobody can make another file with the same digest. It
	// may be empty.
	Key []byte
	// Workers is the number of cores that may be used. If it is more than 1, one goroutine decompresses a compressed
	// CSV file and another parses it.
	Workers int
}
