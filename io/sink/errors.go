package sink

import "github.com/dprelease/dprelease/io/sink/internal/tables"

// Error is a failed operation on a release folder. Its text holds paths, column names and the operating system's own words, and never a value
// of a table.
type Error = tables.Error

// Code says what went wrong.
type Code = tables.Code

// The codes of an Error.
const (
	CodeExists     = tables.CodeExists
	CodeMissing    = tables.CodeMissing
	CodePermission = tables.CodePermission
	CodePlanted    = tables.CodePlanted
	CodeReadOnly   = tables.CodeReadOnly
	CodeDiskFull   = tables.CodeDiskFull
	CodeNotFolder  = tables.CodeNotFolder
	CodeOtherDisk  = tables.CodeOtherDisk
	CodeFormat     = tables.CodeFormat
	CodeMismatch   = tables.CodeMismatch
	CodeNoRelease  = tables.CodeNoRelease
	CodeIncomplete = tables.CodeIncomplete
	CodeCancelled  = tables.CodeCancelled
	CodeIO         = tables.CodeIO
)
