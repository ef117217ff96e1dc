// Package fault has the errors of package source. An error states the file, the row group and the column of an input,
// and what is wrong there.
package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/dprelease/dprelease/internal/regular"
)

// The codes of an Error.
const (
	CodeOption      = "input-option"     // an option is wrong or contradicts another
	CodeNotFound    = "not-found"        // no such file, or nothing matches a pattern
	CodeDuplicate   = "duplicate-file"   // a file is named twice
	CodeNotFile     = "not-a-file"       // a folder, a pipe, a socket or a device
	CodeFormat      = "unknown-format"   // the name's ending belongs to no known format
	CodeUnreadable  = "unreadable"       // the system refuses to open or read the file
	CodeHeader      = "bad-header"       // no header, or one with duplicate names
	CodeSchema      = "schema-mismatch"  // the files' schemas disagree
	CodeColumn      = "unknown-column"   // a column that the table does not have
	CodeType        = "unsupported-type" // a column whose type is not read
	CodeUnsupported = "unsupported"      // an encoding, a compression or an encryption that is not read
	CodeDamaged     = "damaged"          // the bytes contradict the format
	CodeTruncated   = "truncated"        // the file ends too early
	CodeChecksum    = "checksum"         // a stored checksum does not match
	CodeRecord      = "bad-record"       // a record of a public text file that does not fit the header
	CodeRowCount    = "row-count"        // the file has another number of rows than it states
	CodeTooLarge    = "too-large"        // a part of the file is larger than in any valid file, or than memory allows
	CodeChanged     = "changed"          // the file was replaced after it was opened
)

// Error is one problem of an input: its place, what is wrong, and what to do. It never holds a value of the table nor a
// library's text.
type Error struct {
	File     string // base name, after the folders that tell it from other files; "" if the problem is in no file
	RowGroup int    // the row group of a Parquet file, from 0; -1 if the problem is in no row group
	Column   string // name of the column; "" if the problem is in no column
	Code     string // one of this package's constants
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

// Errors holds all problems of an input, in the order of its files. errors.As finds the first *Error.
type Errors []*Error

// Error returns one line for each error.
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

// Err returns es as an error: nil if there is none, the error itself if there is one.
func (es Errors) Err() error {
	switch len(es) {
	case 0:
		return nil
	case 1:
		return es[0]
	}
	return es
}

// New returns an Error without a file, row group (-1) and column. The caller adds those that it knows.
func New(code, format string, args ...any) *Error {
	return &Error{RowGroup: -1, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Advise sets the hint and returns e.
func (e *Error) Advise(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// InFile sets the file and returns e.
func (e *Error) InFile(file string) *Error {
	e.File = file
	return e
}

// OfColumn sets the column and returns e.
func (e *Error) OfColumn(column string) *Error {
	e.Column = column
	return e
}

// Changed returns the error for a file that changed after it was opened.
func Changed() *Error {
	return New(CodeChanged, "the file was changed while the job was running").Advise("run the job again")
}

// Guard runs f. If f panics, Guard returns an error without the panic's text, which may quote private values.
func Guard(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = New(CodeDamaged, "the bytes cannot be decoded")
		}
	}()
	return f()
}

// From returns the Error in err. If err holds none, it returns a general one: the file cannot be read.
func From(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return New(CodeUnreadable, "the file cannot be read")
}

// NotOpened returns the error for a file that could not be opened: it is missing, permission is denied, or the system
// has too many open files.
func NotOpened(err error) *Error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return New(CodeNotFound, "there is no such file")
	case errors.Is(err, fs.ErrPermission):
		return New(CodeUnreadable, "the file cannot be opened: permission denied").Advise("check its permissions, and " +
			"those of the folders above")
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return New(CodeUnreadable, "the file cannot be opened: too many files are open").Advise("raise the limit (ulimit " +
			"-n), or let fewer workers read (--workers)")
	}
	return New(CodeUnreadable, "the file cannot be opened: %s", regular.Reason(err))
}
