package domain

import (
	"math"
	"time"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// The Gregorian calendar repeats after 400 years, which are whole weeks; so every int64 shows a date without overflow.
const (
	cycleDays    = 146097
	cycleSeconds = cycleDays * columnar.DaySeconds
)

// clock reads what calendar and clock show at the values of a column of dates or times.
type clock struct {
	perSecond int64          // units of the column in a second; 0 if the values are days
	zone      *time.Location // nil if times are shown as they stand
	// offset of the zone's clocks, in seconds, holds from since until the second before until.
	since, until, offset int64
}

// newClock returns the clock of a column of that type; ok is false if it holds neither dates nor times. A zone is of
// use for instants only; nil is UTC.
func newClock(t table.Type, zone *time.Location) (c clock, ok bool) {
	switch {
	case t.Kind == table.Date:
		return clock{}, true
	case t.Kind != table.Timestamp || !columnar.HasCanonicalForm(t):
		return clock{}, false
	}
	c.perSecond = 1_000_000_000 / t.Unit
	if t.Zone == table.UTC {
		c.zone = zone
	}
	return c, true
}

// read returns the day that is shown at x, from 1970-01-01 in the calendar's cycle, and the second of the day.
func (c *clock) read(x int64) (day, second int64) {
	if c.perSecond == 0 {
		return modulo(x, cycleDays), 0
	}
	s := x / c.perSecond
	if x%c.perSecond < 0 {
		s--
	}
	shown := modulo(modulo(s, cycleSeconds)+c.offsetAt(s), cycleSeconds)
	return shown / columnar.DaySeconds, shown % columnar.DaySeconds
}

// offsetAt returns the zone's offset at a second since 1970; beyond the years 1 to 9999 it is that of their ends.
func (c *clock) offsetAt(s int64) int64 {
	if c.zone == nil || c.since <= s && s < c.until {
		return c.offset
	}
	at := time.Unix(min(max(s, columnar.FirstDay*columnar.DaySeconds), (columnar.LastDay+1)*columnar.DaySeconds-1), 0).In(c.zone)
	_, offset := at.Zone()
	from, to := at.ZoneBounds()
	c.since, c.until, c.offset = math.MinInt64, math.MaxInt64, int64(offset)
	if !from.IsZero() {
		c.since = from.Unix()
	}
	if !to.IsZero() {
		c.until = to.Unix()
	}
	return c.offset
}

// modulo returns the remainder of x that is not negative.
func modulo(x, n int64) int64 {
	if x %= n; x < 0 {
		x += n
	}
	return x
}
