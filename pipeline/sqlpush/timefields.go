package sqlpush

import (
	"fmt"

	"github.com/dprelease/dprelease/queries/domain"
)

// A time is split into fields by the arithmetic of queries/domain. The database's time zones are not used, because its
// rules may be older or newer. Each step of the arithmetic adds a column, which the next steps name, so that statements
// stay short.

// Days are counted from 1970-01-01, which is day 0.
const (
	cycleDays    = 146097 // days of 400 years, after which the calendar repeats
	daySeconds   = 86400
	secondMicros = 1_000_000
	dayMicros    = daySeconds * secondMicros
	firstDay     = -719162 // 0001-01-01
	lastDay      = 2932896 // 9999-12-31
)

// floorDivide divides a BIGINT by a positive constant and rounds down. It fails for no value.
func (w *writer) floorDivide(x string, by int64) string {
	if by == 1 {
		return x
	}
	return fmt.Sprintf("CASE WHEN %s >= 0 THEN %s ELSE -1 - (%s) END", x, w.divide(x, by), w.divide("-1 - "+x, by))
}

// timeField returns the value of a time field, such as the hour of day, of the time x. NULL gives NULL.
func (w *writer) timeField(r *domain.Coding, x string) string {
	day, second := x, "0"
	if o := r.Offsets(); o.PerSecond > 0 {
		s := w.stage(w.floorDivide(x, o.PerSecond))
		if len(o.Of) > 1 || o.Of[0] != 0 {
			s = w.stage(w.shownSeconds(s, o))
		}
		day = w.stage(w.floorDivide(s, daySeconds))
		second = w.stage(fmt.Sprintf("%s - %s * %d", s, day, daySeconds))
	}
	inCycle := w.stage(fmt.Sprintf("%s - (%s) * %d", day, w.floorDivide(day, cycleDays), cycleDays))
	field := ""
	switch r.TimeField {
	case "minute_of_hour":
		field = w.remainder(w.divide(second, 60), 60)
	case "hour_of_day":
		field = w.divide(second, 3600)
	case "hour_of_week":
		field = "24 * (" + w.remainder(inCycle+" + 3", 7) + ") + (" + w.divide(second, 3600) + ")"
	case "day_of_week":
		field = w.remainder(inCycle+" + 3", 7)
	case "day_of_month":
		_, field, _ = w.civil(inCycle)
	case "month":
		field, _, _ = w.civil(inCycle)
	case "quarter":
		month, _, _ := w.civil(inCycle)
		field = w.divide(w.stage(month), 3)
	case "week_of_year":
		weekday := w.stage(w.remainder(inCycle+" + 3", 7))
		thursday := w.stage(w.remainder(fmt.Sprintf("%s + %d - %s", inCycle, cycleDays+3, weekday), cycleDays))
		_, _, ofYear := w.civil(thursday)
		field = w.divide(w.stage(ofYear), 7)
	}
	return field
}

// remainder returns the remainder of a nonnegative number divided by a constant.
func (w *writer) remainder(x string, by int64) string {
	x = w.stage(x)
	return fmt.Sprintf("%s - (%s) * %d", x, w.divide(x, by), by)
}

// civil returns the month, the day of the month and the day of the year, all counted from 0, for a day that is counted
// within the calendar's cycle of 400 years.
func (w *writer) civil(day string) (month, ofMonth, ofYear string) {
	d := w.stage(w.remainder(day+" + 719468", cycleDays))
	y := w.stage(w.divide(fmt.Sprintf("%s - (%s) + (%s) - (%s)", d, w.divide(d, 1460), w.divide(d, 36524),
		w.divide(d, cycleDays-1)), 365))
	d = w.stage(fmt.Sprintf("%s - (365 * %s + (%s) - (%s))", d, y, w.divide(y, 4), w.divide(y, 100)))
	m := w.stage(w.divide("5 * "+d+" + 2", 153))
	leap := fmt.Sprintf("(%s = 0 OR (%s <> 0 AND %s = 0))", y, w.remainder(y, 100), w.remainder(y, 4))
	month = fmt.Sprintf("CASE WHEN %s >= 10 THEN %s - 10 ELSE %s + 2 END", m, m, m)
	ofMonth = fmt.Sprintf("%s - (%s)", d, w.divide("153 * "+m+" + 2", 5))
	ofYear = fmt.Sprintf("CASE WHEN %s >= 10 THEN %s - 306 WHEN %s THEN %s + 60 ELSE %s + 59 END", m, d, leap, d, d)
	return month, ofMonth, ofYear
}

// shownSeconds converts seconds in UTC to the seconds that clocks of a time zone show.
func (w *writer) shownSeconds(s string, o *domain.Offsets) string {
	at := s
	if len(o.Starts) > 0 {
		at = w.stage(fmt.Sprintf("CASE WHEN %s < %d THEN %d WHEN %s > %d THEN %d ELSE %s END", s, domain.FirstSecond,
			domain.FirstSecond, s, domain.LastSecond, domain.LastSecond, s))
		end := int64(domain.CycleStart + domain.CycleSeconds)
		if o.Starts[len(o.Starts)-1] >= domain.CycleStart {
			beyond := w.stage(fmt.Sprintf("CASE WHEN %s >= %d THEN %s - %d ELSE 0 END", at, end, at, domain.CycleStart))
			at = w.stage(fmt.Sprintf("CASE WHEN %s > 0 THEN %d + %s - (%s) * %d ELSE %s END", beyond, domain.CycleStart, beyond,
				w.divide(beyond, domain.CycleSeconds), domain.CycleSeconds, at))
		}
	}
	// The calendar repeats every cycle, so the second within the cycle has the same offset, and no sum overflows.
	inCycle := w.stage(fmt.Sprintf("%s - (%s) * %d", s, w.floorDivide(s, domain.CycleSeconds), domain.CycleSeconds))
	if offset, ok := w.listedOffset(at, o); ok {
		return inCycle + " + " + offset
	}
	var tree func(from, to int) string
	tree = func(from, to int) string {
		if from == to {
			return fmt.Sprint(o.Of[from])
		}
		middle := (from + to) / 2
		return fmt.Sprintf("CASE WHEN %s < %d THEN %s ELSE %s END", at, o.Starts[middle], tree(from, middle),
			tree(middle+1, to))
	}
	return inCycle + " + " + tree(0, len(o.Starts))
}

// listedOffset finds a second's offset from UTC in the list of the zone's changes. ok is false if the dialect has no
// function that counts the changes up to a second.
func (w *writer) listedOffset(at string, o *domain.Offsets) (offset string, ok bool) {
	starts, ok := exactDoubles(o.Starts)
	if !ok || len(starts) <= maxBranches {
		return "", false
	}
	count, ok := w.reached(w.double(at), starts)
	if !ok {
		return "", false
	}
	list := make([]float64, len(o.Of))
	for i, v := range o.Of {
		list[i] = float64(v)
	}
	return w.integer(w.element(list, count)), true
}
