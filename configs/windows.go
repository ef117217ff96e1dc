package configs

import (
	"errors"
)

// Window is one value of a dated parameter.
type Window = window

// Windows returns the values of a dated parameter from one date to another, both included, written in the form of from.
// Its error is a message for the user.
func (p *Param) Windows(from, to string) ([]Window, error) {
	if p.Type != "date" {
		return nil, errors.New("the parameter is not a date")
	}
	return windows(p.Every, from, to)
}
