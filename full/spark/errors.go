package spark

import (
	"database/sql/driver"

	"github.com/beltran/gohive/hiveserver"
)

// Error is the server's error for a statement. Its text is only the state, because the server's message may quote
// values, statements and passwords.
type Error struct {
	// State is five letters and digits (SQLSTATE); "" if the server sent none.
	State string
	// Message is the server's message. Only tests may read it, since it may hold private values.
	Message string
}

func (e *Error) Error() string { return "the server refuses (SQLSTATE " + e.State + ")" }

// SQLState returns the state.
func (e *Error) SQLState() string { return e.State }

// stateNoUser means that the user is unknown; stateLost means that the connection was lost.
const (
	stateNoUser = "28000"
	stateLost   = "08006"
	// stateCancelled means that another client ended the statement.
	stateCancelled = "57014"
)

// lost is the error for a connection that was lost and cannot be used again.
type lost struct{ cause error }

func (e *lost) Error() string { return "the connection is lost" }

// SQLState returns the state of a lost connection.
func (e *lost) SQLState() string { return stateLost }

// Unwrap returns the cause, and driver.ErrBadConn, by which database/sql discards the connection.
func (e *lost) Unwrap() []error { return []error{e.cause, driver.ErrBadConn} }

// statusError returns the error in an answer's status; nil if there is none.
func statusError(s *hiveserver.TStatus) error {
	switch s.GetStatusCode() {
	case hiveserver.TStatusCode_SUCCESS_STATUS, hiveserver.TStatusCode_SUCCESS_WITH_INFO_STATUS,
		hiveserver.TStatusCode_STILL_EXECUTING_STATUS:
		return nil
	}
	return &Error{State: s.GetSqlState(), Message: s.GetErrorMessage()}
}
