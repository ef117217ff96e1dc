package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/regular"
)

// translate maps an error of the SQLite driver to an error of package ledger. It drops the driver's text, which can
// quote statements and values.
func translate(err error) error {
	var e *sqlite.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("%w: a row is missing", ledger.ErrCorrupt)
	case errors.As(err, &e):
		return errorOfCode(e.Code() & 0xff)
	}
	return ledger.ErrUnavailable
}

// errorOfCode maps a primary result code of SQLite to an error. A code for a wrong statement means that the schema is
// damaged, since all statements are constants.
func errorOfCode(code int) error {
	switch code {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_PROTOCOL:
		return ledger.ErrBusy
	case lib.SQLITE_READONLY:
		return ledger.ErrReadOnly
	case lib.SQLITE_FULL:
		return ledger.ErrFull
	case lib.SQLITE_NOTADB:
		return ledger.ErrNotLedger
	case lib.SQLITE_CORRUPT, lib.SQLITE_ERROR, lib.SQLITE_CONSTRAINT, lib.SQLITE_MISMATCH, lib.SQLITE_FORMAT:
		return ledger.ErrCorrupt
	case lib.SQLITE_CANTOPEN, lib.SQLITE_PERM:
		return errNoAccess
	case lib.SQLITE_IOERR:
		return errStorage
	}
	return ledger.ErrUnavailable
}

var (
	errNoAccess = fmt.Errorf("%w: the file cannot be opened, or its journal not made in its folder, or too many files "+
		"are open", ledger.ErrUnavailable)
	errStorage = fmt.Errorf("%w: reading or writing the file failed", ledger.ErrUnavailable)
)

// translateFile maps an error of a file operation to an error of package ledger.
func translateFile(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EROFS):
		return ledger.ErrReadOnly
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		return ledger.ErrFull
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return fmt.Errorf("%w: too many files are open", ledger.ErrUnavailable)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: no such file or folder", ledger.ErrUnavailable)
	}
	return fmt.Errorf("%w: %s", ledger.ErrUnavailable, regular.Reason(err))
}
