package source

import "github.com/dprelease/dprelease/io/source/internal/scan"

// Error is one problem of an input: its place (File, a base name; RowGroup, from 0, or -1; Column), its Code, a Message
// and a Hint. It never holds a value of the table nor a library's text.
type Error = scan.Error

// Errors holds all problems of an input, in the order of its files. errors.As finds the first *Error.
type Errors = scan.Errors

// The codes of an Error.
const (
	CodeOption      = scan.CodeOption      // an option is wrong or contradicts another
	CodeNotFound    = scan.CodeNotFound    // no such file, or nothing matches a pattern
	CodeDuplicate   = scan.CodeDuplicate   // a file is named twice
	CodeNotFile     = scan.CodeNotFile     // a folder, a pipe or a device
	CodeFormat      = scan.CodeFormat      // the name's ending belongs to no known format
	CodeUnreadable  = scan.CodeUnreadable  // the system refuses to open or read the file
	CodeHeader      = scan.CodeHeader      // no header, or one with duplicate names
	CodeSchema      = scan.CodeSchema      // the files' schemas disagree
	CodeColumn      = scan.CodeColumn      // a column that the table does not have
	CodeType        = scan.CodeType        // a column whose type is not read
	CodeUnsupported = scan.CodeUnsupported // an encoding, a compression or an encryption that is not read
	CodeDamaged     = scan.CodeDamaged     // the bytes contradict the format
	CodeTruncated   = scan.CodeTruncated   // the file ends too early
	CodeChecksum    = scan.CodeChecksum    // a stored checksum does not match
	CodeRowCount    = scan.CodeRowCount    // rows read and rows announced differ
	CodeTooLarge    = scan.CodeTooLarge    // a part is larger than in any valid file, or than memory allows
	CodeChanged     = scan.CodeChanged     // the file was replaced after it was opened
)
