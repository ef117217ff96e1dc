package sqlpush

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/pipeline"
)

// session is a connection whose statements all see the same rows, if the engine can.
type session struct {
	query func(ctx context.Context, text string) (*sql.Rows, error)
	exec  func(ctx context.Context, text string) (sql.Result, error)
}

// failed is an error of a driver or a server, of which only the class is told: its text may hold values, statements or passwords.
func failed(ctx context.Context, message string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e := &pipeline.Error{Cause: pipeline.CauseInput, Code: "sql", Message: message, Hint: hintFailed}
	if state := sqlState(err); state != "" {
		e.Message += fmt.Sprintf(" (SQLSTATE %s%s)", state, meanings[state])
	}
	return e
}

// meanings are of states that have nothing to do with rows.
var meanings = map[string]string{
	"28000": ": the server refuses this user from here", "28P01": ": the password is wrong", "3D000": ": there is no such database",
	"3F000": ": there is no such schema", "42P01": ": there is no such table", "42703": ": there is no such column", "42601": ": this is not SQL as the server knows it",
	"42501": ": the user may not read this", "53300": ": the server has too many connections", "57014": ": the server has a limit of time for statements",
}

const hintFailed = "the database's own log has the whole message; check the connection, the rights of its user, and the names in input.sql"

// sqlState is the code of an error: five letters and digits, as the standard has them.
func sqlState(err error) string {
	for err != nil {
		if e, ok := err.(interface{ SQLState() string }); ok {
			if s := e.SQLState(); len(s) == 5 && !strings.ContainsFunc(s, func(c rune) bool { return (c < 'A' || c > 'Z') && (c < '0' || c > '9') }) {
				return s
			}
		}
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return ""
		}
		err = u.Unwrap()
	}
	return ""
}
