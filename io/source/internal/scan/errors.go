package scan

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// The codes of an Error. Package source documents them.
const (
	CodeOption      = "input-option"
	CodeNotFound    = "not-found"
	CodeDuplicate   = "duplicate-file"
	CodeNotFile     = "not-a-file"
	CodeFormat      = "unknown-format"
	CodeUnreadable  = "unreadable"
	CodeHeader      = "bad-header"
	CodeSchema      = "schema-mismatch"
	CodeColumn      = "unknown-column"
	CodeType        = "unsupported-type"
	CodeUnsupported = "unsupported"
	CodeDamaged     = "damaged"
	CodeTruncated   = "truncated"
	CodeChecksum    = "checksum"
	CodeRowCount    = "row-count"
	CodeTooLarge    = "too-large"
	CodeChanged     = "changed"
)

// Error is one problem of an input. It never holds a value of the table nor a library's text.
type Error struct {
	File     string // base name; "" if the problem is in no file
	RowGroup int    // of a Parquet file, from 0; -1 if the problem is in no row group
	Column   string // "" if the problem is in no column
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

// Fault makes an Error without a place. Callers add the file, row group and column.
func Fault(code, format string, args ...any) *Error {
	return &Error{RowGroup: -1, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Advise sets the hint.
func (e *Error) Advise(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// InFile sets the file.
func (e *Error) InFile(file string) *Error {
	e.File = file
	return e
}

// OfColumn sets the column.
func (e *Error) OfColumn(column string) *Error {
	e.Column = column
	return e
}

// Changed returns the error for a file that changed after it was opened.
func Changed() *Error {
	return Fault(CodeChanged, "the file was changed while the job was running").Advise("run the job again")
}

// Guard runs f and turns a panic into an error without the panic's text.
func Guard(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = Fault(CodeDamaged, "the bytes cannot be decoded")
		}
	}()
	return f()
}

// AsError returns the Error in err. If there is none, it returns one that says only that the file cannot be read.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return Fault(CodeUnreadable, "the file cannot be read")
}

// NotOpened returns the error for a file that could not be opened: it is missing, permission is denied, or the system
// has too many open files.
func NotOpened(err error) *Error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Fault(CodeNotFound, "there is no such file")
	case errors.Is(err, fs.ErrPermission):
		return Fault(CodeUnreadable, "the file cannot be opened: permission denied").Advise("check its permissions, and " +
			"those of the folders above")
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return Fault(CodeUnreadable, "the file cannot be opened: too many files are open").Advise("raise the limit (ulimit " +
			"-n), or let fewer workers read (--workers)")
	}
	return Fault(CodeUnreadable, "the file cannot be opened")
}
