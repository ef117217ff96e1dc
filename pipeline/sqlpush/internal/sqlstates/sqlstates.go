// Package sqlstates reads the codes of errors of databases, without the errors' texts.
package sqlstates

import "strings"

// Of returns the code of an error of a driver, five letters and digits as the standard has them, and what it means, if it is common: "" if it has none.
func Of(err error) string {
	for err != nil {
		if e, ok := err.(interface{ SQLState() string }); ok {
			if s := e.SQLState(); len(s) == 5 && !strings.ContainsFunc(s, func(c rune) bool { return (c < 'A' || c > 'Z') && (c < '0' || c > '9') }) {
				return s + meanings[s]
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

// meanings are of states that have nothing to do with rows.
var meanings = map[string]string{
	"28000": ": the server refuses this user from here", "28P01": ": the password is wrong", "3D000": ": there is no such database",
	"3F000": ": there is no such schema", "42P01": ": there is no such table", "42703": ": there is no such column", "42601": ": this is not SQL as the server knows it",
	"42501": ": the user may not read this", "53300": ": the server has too many connections", "57014": ": the server has a limit of time for statements",
}
