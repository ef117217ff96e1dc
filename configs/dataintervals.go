package configs

import (
	"errors"
	"time"
)

// Data intervals: the days, months and years that are the values of a dated parameter, the ways to write each, and the
// intervals between two dates.

// DataInterval is one value of a dated parameter: a day, a month or a year.
type DataInterval struct {
	// Value is the interval's value in the form that the parameter uses. Forms holds all forms of it, Value included.
	Value string
	Forms []string
	// End is the date on which the next interval starts, at midnight UTC. The interval ends when that date begins in
	// the job's time zone.
	End time.Time
}

// maxIntervals exceeds the number of days that any table covers.
const maxIntervals = 100_000

// DataIntervals returns the data intervals of a dated parameter from one date to another, both included, written in the
// form of from. Its error is a message for the user.
func (p *Param) DataIntervals(from, to string) ([]DataInterval, error) {
	if p.Type != "date" {
		return nil, errors.New("the parameter is not a date")
	}
	first, layout, ok := readDate(from, p.Every)
	last, _, okLast := readDate(to, p.Every)
	switch {
	case !ok || !okLast:
		return nil, errors.New("a data interval is written as " + formsOf(p.Every)[0].sample)
	case last.Before(first):
		return nil, errors.New("the last data interval is before the first")
	}
	var out []DataInterval
	for at := first; !at.After(last); at = following(at, p.Every) {
		if len(out) == maxIntervals {
			return nil, errors.New("there are more than 100000 data intervals")
		}
		w := DataInterval{Value: at.Format(layout), End: following(at, p.Every)}
		for _, f := range formsOf(p.Every) {
			w.Forms = append(w.Forms, at.Format(f.layout))
		}
		out = append(out, w)
	}
	return out, nil
}

// readDate parses a date in any of the forms that a parameter with this period accepts.
func readDate(text, every string) (at time.Time, layout string, ok bool) {
	for _, f := range formsOf(every) {
		at, err := time.Parse(f.layout, text)
		if err == nil && (every != "month" || at.Day() == 1) && (every != "year" || at.YearDay() == 1) {
			return at, f.layout, true
		}
	}
	return time.Time{}, "", false
}

// following returns the start of the next data interval.
func following(at time.Time, every string) time.Time {
	switch every {
	case "month":
		return at.AddDate(0, 1, 0)
	case "year":
		return at.AddDate(1, 0, 0)
	}
	return at.AddDate(0, 0, 1)
}

// dateSamples returns an example of each form in which a job may write a date. every is the period of the parameter:
// "day", "month" or "year".
func dateSamples(every string) (out []string) {
	for _, f := range formsOf(every) {
		out = append(out, f.sample)
	}
	return out
}

// kind returns the words of a message for the dates that a parameter accepts: " on which a month begins"; "" for every
// date.
func kind(every string) string {
	if every == "month" || every == "year" {
		return " on which a " + every + " begins"
	}
	return ""
}

// form is one way to write a date: its layout and a sample.
type form struct{ layout, sample string }

// formsOf returns the ways to write a date. A month or a year can be named only by its first day, so that each interval
// has few names.
func formsOf(every string) []form {
	switch every {
	case "month":
		return []form{{"2006-01", "2013-02"}, {"2006-01-02", "2013-02-01"}}
	case "year":
		return []form{{"2006", "2013"}, {"2006-01", "2013-01"}, {"2006-01-02", "2013-01-01"}}
	}
	return []form{{"2006-01-02", "2013-01-31"}}
}
