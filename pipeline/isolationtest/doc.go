// Package isolationtest attacks the readers with files made to confuse them. It knows the dialects of the files.
//
// The readers promise two things (docs/dev/stability.md). Row isolation: if a correct writer writes the tables T and U
// into one file, the rows of that file are the rows of T's own file and the rows of U's own file. Unit identity: two
// values of a column are the same privacy unit only if they are equal. The package tries to break both promises:
//
//	Format   a random dialect of a text format, or random types of a binary one, with a writer
//	Case     a table T of several units and the rows U of one more unit, whose strings imitate other rows of the file
//	Check    writes T, U and both together, reads the three, also as joined tables, and compares
//
// A seed determines everything. A finding is shrunk. It prints the dialect, the tables, the rows that were read, and
// what an independent reader finds in the files, which shows whether the writer or our reader is at fault.
package isolationtest
