package sqlpush

import "strings"

// An error of a database is told by its code (SQLSTATE) and never by its text. A code can depend on a row, if a query
// of the job fails for its value: functions of a database even choose codes. So a code is told if it is one of a few
// that say what is wrong with a connection, a name or a server; of the errors of values only that there is one, and
// nothing of all others.

// sqlState returns the code of an error of a driver, five letters and digits as the standard has them, and what it
// means: "" if it has none that is told.
func sqlState(err error) string {
	for err != nil {
		if e, ok := err.(interface{ SQLState() string }); ok {
			return toldState(e.SQLState())
		}
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return ""
		}
		err = u.Unwrap()
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

// valueClass begins the codes of errors of values.
const valueClass = "22"

// stateMeanings are of states that have nothing to do with rows.
var stateMeanings = map[string]string{
	"08006": "the connection was lost", "0A000": "the server cannot do this", "25006": "the query writes, and the " +
		"transaction only reads",
	"28000": "the server refuses this user from here", "28P01": "the password is wrong", "3D000": "there is no such database",
	"3F000": "there is no such schema", "40001": "another transaction is in the way", "42501": "the user may not read this", "42601": "this is not SQL as the server knows it",
	"42702": "a name stands for several columns", "42703": "there is no such column", "42712": "two tables have one name", "42846": "there is no such cast",
	"42883": "there is no such function or operator", "42P01": "there is no such table", "42P02": "there is no such parameter", "42P18": "a type is not known",
	"53100": "the server's disk is full", "53200": "the server has no more memory", "53300": "the server has too many " +
		"connections", "54001": "the statement is too complex for the server",
	"57014": "the server has a limit of time for statements", "57P01": "the server was shut down", "57P03": "the server is starting or stopping",
}
