// Package sessions runs statements on one connection of a database, and makes errors of which no text is a driver's or a server's.
package sessions

import (
	"context"
	"database/sql"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/sqlstates"
)

// Session is a connection whose statements all see the same rows, if the engine can.
type Session struct {
	Query func(ctx context.Context, text string) (*sql.Rows, error)
	Exec  func(ctx context.Context, text string) (sql.Result, error)
}

// Asks runs a statement that answers true, and returns an error if it does not.
func (s *Session) Asks(ctx context.Context, text string, no error) error {
	ok := false
	if err := s.Value(ctx, text, &ok); err != nil {
		return Failed(ctx, "the server does not say its version", err)
	}
	if !ok {
		return no
	}
	return nil
}

// Value reads the one value that a statement answers. Errors are the driver's.
func (s *Session) Value(ctx context.Context, text string, to any) error {
	rows, err := s.Query(ctx, text)
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

// Failed is an error of a driver or a server, of which only the class is told: its text may hold values, statements or passwords.
func Failed(ctx context.Context, message string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e := &pipeline.Error{Cause: pipeline.CauseInput, Code: "sql", Message: message, Hint: hintFailed}
	if state := sqlstates.Of(err); state != "" {
		e.Message += " (SQLSTATE " + state + ")"
	}
	return e
}

const hintFailed = "the database's own log has the whole message; check the connection, the rights of its user, and the names in input.sql"
