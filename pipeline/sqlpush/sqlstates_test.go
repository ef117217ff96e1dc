package sqlpush

import (
	"errors"
	"fmt"
	"testing"
)

type withState string

func (withState) Error() string      { return "a value of a row" }
func (w withState) SQLState() string { return string(w) }

// sqlState returns only the class 22 for errors about values, and nothing for other codes that could depend on a row.
func TestSQLState(t *testing.T) {
	for err, want := range map[error]string{
		fmt.Errorf("within: %w", withState("42P01")):                                            "42P01: there is no such table",
		fmt.Errorf("two addresses: %w", errors.Join(errors.New("refused"), withState("3D000"))): "3D000: there is no such database",
		withState("22012"):    "22: a value makes an expression of the query or of a view fail",
		withState("22P02"):    "22: a value makes an expression of the query or of a view fail",
		withState("A1234"):    "",
		withState("P0001"):    "",
		withState("42ABC"):    "",
		withState(""):         "",
		withState("22 or so"): "",
		errors.New("42P01"):   "",
	} {
		if got := sqlState(err); got != want {
			t.Errorf("%#v: %q, want %q", err, got, want)
		}
	}
}
