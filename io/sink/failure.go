package sink

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/dprelease/dprelease/pipeline"
)

// Code is the kind of failure of an Error.
type Code string

// The codes of an Error.
const (
	CodeExists        Code = "exists"            // something is at the path already
	CodeMissing       Code = "missing"           // the path does not exist
	CodePermission    Code = "permission"        // the system denies access
	CodeUnsafeStaging Code = "planted"           // other users can read a staging folder, or own it
	CodeReadOnly      Code = "read-only"         // the file system is mounted read-only
	CodeDiskFull      Code = "disk-full"         // no space is left, or a quota is used up
	CodeNotFolder     Code = "not-a-folder"      // the path is not a folder
	CodeOtherDisk     Code = "other-file-system" // a rename would cross file systems
	CodeFormat        Code = "format"            // a table cannot be written in the format
	CodeMismatch      Code = "mismatch"          // a file that was read back differs from the answer
	CodeNoRelease     Code = "no-release"        // the folder is absent or empty: [pipeline.ErrNoRelease]
	CodeIncomplete    Code = "incomplete"        // the folder is not a complete release: [pipeline.ErrIncomplete]
	CodeCancelled     Code = "cancelled"         // the context ended
	CodeIO            Code = "io"                // any other error of the system
)

// Error is a failed operation on a release folder. Its text has paths, column names and the operating system's message,
// but never a value of a table.
type Error struct {
	Op   string // "write", "publish", …
	Path string
	Code Code
	// Err is the system's error number, context.Canceled, pipeline.ErrNoRelease, pipeline.ErrIncomplete or a text of this
	// package. It is nil if Code alone describes the failure.
	Err error
}

var codeTexts = map[Code]string{
	CodeExists:     "something is there already",
	CodePermission: "permission denied",
	CodeReadOnly:   "the file system is read-only",
	CodeDiskFull:   "the disk or the quota is full",
	CodeNotFolder:  "the path, or a part of it, is a file and not a folder",
	CodeOtherDisk:  "the staging folder is on another file system",
}

// Error returns the operation, the path and what went wrong, in one line.
func (e *Error) Error() string {
	text, known := codeTexts[e.Code]
	switch {
	case known:
	case e.Err != nil:
		text = e.Err.Error()
	default:
		text = "failed for a reason that the system does not name"
	}
	return fmt.Sprintf("%s %s: %s", e.Op, e.Path, text)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// reason is an error with a text of this package, which cannot quote a file.
type reason string

func (r reason) Error() string { return string(r) }

// mismatch is the error for a file whose content differs from the query's answer. It names the column or the line that
// differs, and quotes nothing of the file.
type mismatch string

func (m mismatch) Error() string { return "reads back differently from the answer: " + string(m) }

// systemCodes maps errors of the operating system to codes. The first entry that matches counts. On each system,
// errors.Is matches the system's error numbers with these errors.
var systemCodes = []struct {
	err  error
	code Code
}{
	{syscall.ENOSPC, CodeDiskFull},
	{syscall.EDQUOT, CodeDiskFull},
	{syscall.EROFS, CodeReadOnly},
	{syscall.ENOTDIR, CodeNotFolder},
	{syscall.EXDEV, CodeOtherDisk},
	{fs.ErrExist, CodeExists},
	{fs.ErrNotExist, CodeMissing},
	{fs.ErrPermission, CodePermission},
	{context.Canceled, CodeCancelled},
	{context.DeadlineExceeded, CodeCancelled},
}

// failure turns any error into an Error. From an error of another package it keeps only the system's error number,
// since the text may quote private input.
func failure(op, path string, err error) error {
	var own *Error
	if err == nil || errors.As(err, &own) {
		return err
	}
	e := &Error{Op: op, Path: path, Code: CodeIO}
	var differs mismatch
	// If the context ended, the rest of the files was not read.
	stopped := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if !stopped && errors.As(err, &differs) {
		e.Code, e.Err = CodeMismatch, differs
		return e
	}
	for _, s := range systemCodes {
		if errors.Is(err, s.err) {
			e.Code, e.Err = s.code, s.err
			break
		}
	}
	var number syscall.Errno
	var words reason
	switch {
	case errors.As(err, &number):
		e.Err = number
	case errors.As(err, &words):
		e.Err = words
	}
	return e
}

// refusal returns an Error with a text of this package.
func refusal(op, path string, code Code, text string) error {
	return &Error{Op: op, Path: path, Code: code, Err: reason(text)}
}

// noRelease returns the Error for a folder that is absent or empty.
func noRelease(path string) error {
	return &Error{Op: "inspect", Path: path, Code: CodeNoRelease, Err: pipeline.ErrNoRelease}
}

// incomplete returns the Error for a folder that holds an incomplete release or something else.
func incomplete(path, reason string) error {
	return &Error{Op: "inspect", Path: path, Code: CodeIncomplete,
		Err: fmt.Errorf("%w: %s", pipeline.ErrIncomplete, reason)}
}

// recoverError turns a panic of a library into an error. It discards the panic's value, which may quote values of a
// table.
func recoverError(err *error) {
	if thrown := recover(); thrown != nil {
		*err = reason("the writer failed unexpectedly")
	}
}
