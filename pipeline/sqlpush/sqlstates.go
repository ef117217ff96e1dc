package sqlpush

import (
	"errors"
	"strings"
)

// Database errors are reported by their code (SQLSTATE), never by their text. Even a code can depend on a row: a query
// of the job can fail for a value, and functions of a database can choose the code. So a code is reported only if it is
// one of a few that concern a connection, a name or a server. An error of the class of data errors is reported as such,
// without its code; all other codes are not reported.

// sqlState returns the code of a driver's error (five characters) with its meaning; "" if the code must not be
// reported.
func sqlState(err error) string {
	var e interface{ SQLState() string }
	if errors.As(err, &e) {
		return toldState(e.SQLState())
	}
	return ""
}

func toldState(state string) string {
	switch meaning := stateMeanings[state]; {
	case meaning != "":
		return state + ": " + meaning
	case len(state) == 5 && strings.HasPrefix(state, valueClass):
		return valueClass + ": a value makes an expression of the query or of a view fail"
	}
	return ""
}

// valueClass is the prefix of the codes for data errors, such as a division by zero.
const valueClass = "22"

// stateMeanings explains the codes that do not depend on rows.
var stateMeanings = map[string]string{
	"08006": "the connection was lost", "0A000": "the server cannot do this", "25006": "the query writes, and the " +
		"transaction only reads",
	"28000": "the server refuses this user from here", "28P01": "the password is wrong",
	"3D000": "there is no such database",
	"3F000": "there is no such schema", "40001": "another transaction is in the way",
	"42501": "the user may not read this", "42601": "this is not SQL as the server knows it",
	"42702": "a name stands for several columns", "42703": "there is no such column", "42712": "two tables have one name",
	"42846": "there is no such cast",
	"42883": "there is no such function or operator", "42P01": "there is no such table",
	"42P02": "there is no such parameter", "42P18": "a type is not known",
	"53100": "the server's disk is full", "53200": "the server has no more memory", "53300": "the server has too many " +
		"connections", "54001": "the statement is too complex for the server",
	"57014": "the server has a limit of time for statements", "57P01": "the server was shut down",
	"57P03": "the server is starting or stopping",
}
