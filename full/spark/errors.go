package spark

import (
	"database/sql/driver"

	"github.com/beltran/gohive/hiveserver"
)

// Error is a refusal of the server. Its text is the state alone, since the server's message may quote values,
// statements and passwords.
type Error struct {
	// State is five letters and digits (SQLSTATE); "" if the server sent none.
	State string
	// Message is the server's. It is for tests.
	Message string
}

// Error returns a text without the server's message.
func (e *Error) Error() string { return "the server refuses (SQLSTATE " + e.State + ")" }

// SQLState returns the state.
func (e *Error) SQLState() string { return e.State }

// stateNoUser means that the user is not known, stateLost that the connection was lost.
const (
	stateNoUser = "28000"
	stateLost   = "08006"
	// stateCancelled means that somebody else ended the statement.
	stateCancelled = "57014"
)

// lost is an error of a connection that is of no more use.
type lost struct{ cause error }

func (e *lost) Error() string { return "the connection is lost" }

// SQLState returns the state of a lost connection.
func (e *lost) SQLState() string { return stateLost }

// Unwrap returns the cause, and the error by which database/sql knows a connection that is of no more use.
func (e *lost) Unwrap() []error { return []error{e.cause, driver.ErrBadConn} }

// statusError returns the error that an answer's status is; nil if there is none.
func statusError(s *hiveserver.TStatus) error {
	switch s.GetStatusCode() {
	case hiveserver.TStatusCode_SUCCESS_STATUS, hiveserver.TStatusCode_SUCCESS_WITH_INFO_STATUS,
		hiveserver.TStatusCode_STILL_EXECUTING_STATUS:
		return nil
	}
	return &Error{State: s.GetSqlState(), Message: s.GetErrorMessage()}
}
