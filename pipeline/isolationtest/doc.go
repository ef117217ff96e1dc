// Package isolationtest is an adversary of the readers, which knows the dialects of their files.
//
// The readers promise two things (docs/dev/stability.md). Row isolation: the rows of a file that a correct writer made
// of the tables T and U are the rows of the file of T and the rows of the file of U. Unit identity: two values of a
// column are one privacy unit only if they are equal. The adversary tries to break both:
//
//	Format   a dialect of a text format, or types of a binary one, drawn at random, with a writer of it
//	Case     a table T of several units and the rows U of one more, whose texts are made of other rows of the same file
//	Check    writes T, U and both together, reads the three, also as tables that are joined, and compares
//
// All of it follows from a seed. A finding is made smaller and prints the dialect, the tables, what was read of them,
// and what a second reader of the dialect says, which shows whether the writer or the reader is at fault.
package isolationtest
