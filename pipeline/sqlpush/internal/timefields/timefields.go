// Package timefields writes expressions that take times apart, by the arithmetic of queries/internal/calendar: no zone of the database is asked, whose
// rules may be of another year. Each stage of a field is a column of its own, so that statements stay short.
package timefields

import (
	"fmt"

	"github.com/dprelease/dprelease/queries/domain"
)

const (
	cycleDays  = 146097
	daySeconds = 86400
)

// Statement is a statement in the making.
type Statement interface {
	// Stage makes a column of an expression and returns its name.
	Stage(expr string) string
	// Divide divides a BIGINT that is not negative by a positive constant and rounds down.
	Divide(x string, by int64) string
}

type writer struct{ Statement }

// floor divides by a positive constant and rounds down. It fails on no BIGINT.
func (w writer) floor(x string, by int64) string {
	if by == 1 {
		return x
	}
	return fmt.Sprintf("CASE WHEN %s >= 0 THEN %s ELSE -1 - (%s) END", x, w.Divide(x, by), w.Divide("-1 - "+x, by))
}

// Code returns the code of a time x that is not NULL, by a rule that has a time field. That of NULL is NULL.
func Code(s Statement, r *domain.Rule, x string) string {
	w := writer{s}
	day, second := x, "0"
	if o := r.Offsets; o.PerSecond > 0 {
		s := w.Stage(w.floor(x, o.PerSecond))
		if len(o.Of) > 1 || o.Of[0] != 0 {
			s = w.Stage(w.shown(s, o))
		}
		day = w.Stage(w.floor(s, daySeconds))
		second = w.Stage(fmt.Sprintf("%s - %s * %d", s, day, daySeconds))
	}
	inCycle := w.Stage(fmt.Sprintf("%s - (%s) * %d", day, w.floor(day, cycleDays), cycleDays))
	field := ""
	switch r.Field {
	case "minute_of_hour":
		field = w.rest(w.Divide(second, 60), 60)
	case "hour_of_day":
		field = w.Divide(second, 3600)
	case "hour_of_week":
		field = "24 * (" + w.rest(inCycle+" + 3", 7) + ") + (" + w.Divide(second, 3600) + ")"
	case "day_of_week":
		field = w.rest(inCycle+" + 3", 7)
	case "day_of_month":
		_, field, _ = w.civil(inCycle)
	case "month":
		field, _, _ = w.civil(inCycle)
	case "quarter":
		month, _, _ := w.civil(inCycle)
		field = w.Divide(w.Stage(month), 3)
	case "week_of_year":
		weekday := w.Stage(w.rest(inCycle+" + 3", 7))
		thursday := w.Stage(w.rest(fmt.Sprintf("%s + %d - %s", inCycle, cycleDays+3, weekday), cycleDays))
		_, _, ofYear := w.civil(thursday)
		field = w.Divide(w.Stage(ofYear), 7)
	}
	return field
}

// rest is the remainder of a number that is not negative.
func (w writer) rest(x string, by int64) string {
	x = w.Stage(x)
	return fmt.Sprintf("%s - (%s) * %d", x, w.Divide(x, by), by)
}

// civil returns the month, the day of the month and the day of the year of a day of the cycle, all from 0.
func (w writer) civil(day string) (month, ofMonth, ofYear string) {
	d := w.Stage(w.rest(day+" + 719468", cycleDays))
	y := w.Stage(w.Divide(fmt.Sprintf("%s - (%s) + (%s) - (%s)", d, w.Divide(d, 1460), w.Divide(d, 36524), w.Divide(d, cycleDays-1)), 365))
	d = w.Stage(fmt.Sprintf("%s - (365 * %s + (%s) - (%s))", d, y, w.Divide(y, 4), w.Divide(y, 100)))
	m := w.Stage(w.Divide("5 * "+d+" + 2", 153))
	leap := fmt.Sprintf("(%s = 0 OR (%s <> 0 AND %s = 0))", y, w.rest(y, 100), w.rest(y, 4))
	month = fmt.Sprintf("CASE WHEN %s >= 10 THEN %s - 10 ELSE %s + 2 END", m, m, m)
	ofMonth = fmt.Sprintf("%s - (%s)", d, w.Divide("153 * "+m+" + 2", 5))
	ofYear = fmt.Sprintf("CASE WHEN %s >= 10 THEN %s - 306 WHEN %s THEN %s + 60 ELSE %s + 59 END", m, d, leap, d, d)
	return month, ofMonth, ofYear
}

// shown turns seconds into those that clocks show.
func (w writer) shown(s string, o *domain.Offsets) string {
	at := s
	if len(o.Starts) > 0 {
		at = w.Stage(fmt.Sprintf("CASE WHEN %s < %d THEN %d WHEN %s > %d THEN %d ELSE %s END", s, domain.FirstSecond, domain.FirstSecond, s, domain.LastSecond, domain.LastSecond, s))
		end := int64(domain.CycleStart + domain.CycleSeconds)
		if o.Starts[len(o.Starts)-1] >= domain.CycleStart {
			beyond := w.Stage(fmt.Sprintf("CASE WHEN %s >= %d THEN %s - %d ELSE 0 END", at, end, at, domain.CycleStart))
			at = w.Stage(fmt.Sprintf("CASE WHEN %s > 0 THEN %d + %s - (%s) * %d ELSE %s END", beyond, domain.CycleStart, beyond, w.Divide(beyond, domain.CycleSeconds), domain.CycleSeconds, at))
		}
	}
	var tree func(from, to int) string
	tree = func(from, to int) string {
		if from == to {
			return fmt.Sprint(o.Of[from])
		}
		middle := (from + to) / 2
		return fmt.Sprintf("CASE WHEN %s < %d THEN %s ELSE %s END", at, o.Starts[middle], tree(from, middle), tree(middle+1, to))
	}
	// The calendar repeats, so a second of the cycle is as good, and no sum overflows.
	inCycle := w.Stage(fmt.Sprintf("%s - (%s) * %d", s, w.floor(s, domain.CycleSeconds), domain.CycleSeconds))
	return inCycle + " + " + tree(0, len(o.Starts))
}
