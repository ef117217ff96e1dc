package source

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// The codes of an Error.
const (
	CodeOption      = "input-option"     // an option is wrong or contradicts another
	CodeNotFound    = "not-found"        // no such file, or nothing matches a pattern
	CodeDuplicate   = "duplicate-file"   // a file is named twice
	CodeNotFile     = "not-a-file"       // a folder, a pipe, a device
	CodeFormat      = "unknown-format"   // the name's ending says no format that we know
	CodeUnreadable  = "unreadable"       // the system refuses to open or read the file
	CodeHeader      = "bad-header"       // no header, or one with duplicate names
	CodeSchema      = "schema-mismatch"  // the files' schemas disagree
	CodeColumn      = "unknown-column"   // a column that the table does not have
	CodeType        = "unsupported-type" // a column whose type is not read
	CodeUnsupported = "unsupported"      // an encoding, a compression or an encryption that is not read
	CodeDamaged     = "damaged"          // the bytes contradict the format
	CodeTruncated   = "truncated"        // the file ends too early
	CodeChecksum    = "checksum"         // a stored checksum does not match
	CodeRowCount    = "row-count"        // rows read and rows announced differ
	CodeTooLarge    = "too-large"        // a part is larger than any sound file has, or than memory should hold
	CodeChanged     = "changed"          // the file was replaced after it was opened
)

// Error is one thing that is wrong with an input. It never holds a value of the table nor a library's text.
type Error struct {
	File     string // base name, "" if no file is to blame
	RowGroup int    // of a Parquet file, from 0; -1: none
	Column   string // "" if no column is to blame
	Code     string
	Message  string
	Hint     string // what the user can do; may be empty
}

// Error returns place, code, message and hint in one line.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		fmt.Fprintf(&b, "%s: ", e.File)
	}
	if e.RowGroup >= 0 {
		fmt.Fprintf(&b, "row group %d: ", e.RowGroup)
	}
	if e.Column != "" {
		fmt.Fprintf(&b, "column %s: ", e.Column)
	}
	fmt.Fprintf(&b, "%s: %s", e.Code, e.Message)
	if e.Hint != "" {
		fmt.Fprintf(&b, " (%s)", e.Hint)
	}
	return b.String()
}

// Errors are all the things that are wrong with an input, in the order of its files; errors.As finds the first *Error.
type Errors []*Error

// Error returns one line an error.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the errors one by one.
func (es Errors) Unwrap() []error {
	out := make([]error, len(es))
	for i, e := range es {
		out[i] = e
	}
	return out
}

// err returns es as an error: nil if there is none, the error itself if there is one.
func (es Errors) err() error {
	switch len(es) {
	case 0:
		return nil
	case 1:
		return es[0]
	}
	return es
}

// fault makes an Error without a place, which whoever knows the place fills in.
func fault(code, format string, args ...any) *Error {
	return &Error{RowGroup: -1, Code: code, Message: fmt.Sprintf(format, args...)}
}

// hint sets the hint.
func (e *Error) hint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// in sets the file.
func (e *Error) in(file string) *Error {
	e.File = file
	return e
}

// of sets the column.
func (e *Error) of(column string) *Error {
	e.Column = column
	return e
}

func changed() *Error {
	return fault(CodeChanged, "the file was changed while the job was running").hint("run the job again")
}

// guard runs f and turns a panic, of ours or of a library, into an error without its text.
func guard(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = fault(CodeDamaged, "the bytes cannot be decoded")
		}
	}()
	return f()
}

// own returns the Error in err; if there is none, one that says as little as can be said.
func own(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return fault(CodeUnreadable, "the file cannot be read")
}

// notOpened tells a missing file from one that may not be opened, and both from a system that has no room for another open file.
func notOpened(err error) *Error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault(CodeNotFound, "there is no such file")
	case errors.Is(err, fs.ErrPermission):
		return fault(CodeUnreadable, "the file cannot be opened: permission denied").hint("check its permissions, and those of the folders above")
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return fault(CodeUnreadable, "the file cannot be opened: too many files are open").hint("raise the limit (ulimit -n), or let fewer workers read (--workers)")
	}
	return fault(CodeUnreadable, "the file cannot be opened")
}
