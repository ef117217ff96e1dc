package source

import (
	"github.com/dprelease/dprelease/io/source/internal/csv"
	"github.com/dprelease/dprelease/io/source/internal/jsonl"
	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// CSV is the dialect of CSV files.
type CSV = csv.Options

// NoQuote is the CSV.Quote of files in which no character quotes.
const NoQuote = csv.NoQuote

// JSONL says what is read of JSON lines.
type JSONL = jsonl.Options

// Summary says of a split what its batches do not.
type Summary = scan.Summary

// Options say how files are read; CSV and JSONL have no effect on other formats.
type Options struct {
	// Dir is the folder that relative patterns start from.
	Dir string
	// Files are paths, globs, addresses of objects (store.Address), globs of addresses, and addresses that end with a
	// slash, for all objects below.
	Files []string
	// Format is one of Formats; if it is empty the files' names say theirs.
	Format string
	CSV    CSV
	JSONL  JSONL
	// Exact names columns in which two different values must stay different: those of the privacy unit. A decimal that is
	// no Int is then a text, INT96 a timestamp in nanoseconds, date64 a wall-clock reading in milliseconds. A value that
	// its type does not hold exactly is null.
	Exact []string
	// Folders are the types of columns that are not in the files but in the names of their folders, NAME=VALUE.
	Folders map[string]string
	// Key is a secret without which nobody can make other files with the same digests; it may be empty.
	Key []byte
	// Workers is how many cores may be used: if it is more than 1, compressed CSV files are decompressed by one goroutine
	// and parsed by another.
	Workers int
}
