package configs

import (
	"errors"
	"time"
)

// Window is one value of a dated parameter.
type Window struct {
	// Value is the window's value in the form that the parameter uses. Forms holds all forms of it, Value included.
	Value string
	Forms []string
	// End is the start of the next window, at midnight UTC. It has no zone of its own.
	End time.Time
}

// maxWindows is more days than any table covers.
const maxWindows = 100_000

// Windows returns the windows of a dated parameter from one to another, both included, written in the form of from. Its
// error is a message for the user.
func (p *Param) Windows(from, to string) ([]Window, error) {
	if p.Type != "date" {
		return nil, errors.New("the parameter is not a date")
	}
	first, layout, ok := readDate(from, p.Every)
	last, _, okLast := readDate(to, p.Every)
	switch {
	case !ok || !okLast:
		return nil, errors.New("a window is written as " + dateForms(p.Every)[0].sample)
	case last.Before(first):
		return nil, errors.New("the last window is before the first")
	}
	var out []Window
	for at := first; !at.After(last); at = following(at, p.Every) {
		if len(out) == maxWindows {
			return nil, errors.New("there are more than 100000 windows")
		}
		w := Window{Value: at.Format(layout), End: following(at, p.Every)}
		for _, f := range dateForms(p.Every) {
			w.Forms = append(w.Forms, at.Format(f.layout))
		}
		out = append(out, w)
	}
	return out, nil
}

// readDate parses a date in any of its forms.
func readDate(text, every string) (at time.Time, layout string, ok bool) {
	for _, f := range dateForms(every) {
		if at, err := time.Parse(f.layout, text); err == nil && isDate(text, every) {
			return at, f.layout, true
		}
	}
	return time.Time{}, "", false
}

// following returns the start of the next window.
func following(at time.Time, every string) time.Time {
	switch every {
	case "month":
		return at.AddDate(0, 1, 0)
	case "year":
		return at.AddDate(1, 0, 0)
	}
	return at.AddDate(0, 0, 1)
}
