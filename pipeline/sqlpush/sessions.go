package sqlpush

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/dprelease/dprelease/internal/silence"
	"github.com/dprelease/dprelease/pipeline"
)

// Statements run on one connection. This package words their errors itself: no text of a driver or a server is passed
// on, because it may quote values, statements and passwords.

// session runs statements on one connection. All of them see the same rows if the engine has such transactions.
type session struct {
	query func(ctx context.Context, text string) (*sql.Rows, error)
	exec  func(ctx context.Context, text string) (sql.Result, error)
}

// asks runs a statement that returns a boolean. If the boolean is false, asks returns the error no.
func (s *session) asks(ctx context.Context, text string, no error) error {
	ok := false
	if err := s.value(ctx, text, &ok); err != nil {
		return failed(ctx, "the server does not say its version", err)
	}
	if !ok {
		return no
	}
	return nil
}

// value runs a statement that returns one value, and scans it. Errors are the driver's.
func (s *session) value(ctx context.Context, text string, to any) error {
	rows, err := s.query(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(to); err != nil {
			return err
		}
	}
	return rows.Err()
}

// failed returns an error with a message and only the class of a driver's or server's error, whose text may hold
// values, statements or passwords.
func failed(ctx context.Context, message string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e := &pipeline.Error{Cause: pipeline.CauseInput, Code: "sql", Message: message, Hint: hintFailed}
	if errors.Is(err, silence.ErrSilent) || errors.Is(err, context.DeadlineExceeded) { // connecting took too long
		e.Message += ": the server did not answer in time"
	} else if state := sqlState(err); state != "" {
		e.Message += " (SQLSTATE " + state + ")"
	}
	return e
}

// unreached returns the error for a server to which no connection can be made.
func (d *Database) unreached(ctx context.Context, err error) error {
	if ctx.Err() == nil && strings.HasPrefix(sqlState(err), valueClass) { // no statement of the job has run yet
		return &pipeline.Error{Cause: pipeline.CauseInput, Code: "sql", Message: "the server refuses a setting of the " +
			"connection",
			Hint: "check the settings after the ? in input.sql.dsn: their names, values and ranges"}
	}
	failure := failed(ctx, "the database cannot be reached", err)
	var e *pipeline.Error
	if _, isFile := d.dialect.(filed); isFile || !errors.As(failure, &e) {
		return failure
	}
	if reason := silence.Reason(err); reason != "" && sqlState(err) == "" {
		e.Message += ": " + reason
	}
	e.Hint = "check input.sql.dsn: host, port, database, user, password and TLS; in a password, write other characters " +
		"than letters and digits as %40 and the like; a server's log has the whole message"
	return e
}

const hintFailed = "check the connection, the rights of its user, and the names in input.sql; the database's own " +
	"program, such as psql or duckdb, shows the whole message for the statements of release sql JOB"
