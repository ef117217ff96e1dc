package domain

import (
	"time"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// Calendar days and times of day for whole columns, by arithmetic alone
//
// The Gregorian calendar repeats every 400 years, which are a whole number of weeks. So a time is reduced to a day of
// this cycle, counted from 1970-01-01, and a second of the day. The year is not needed, and every int64 has a date
// without overflow. The offset of a time zone from UTC is looked up in a table of the times at which it changes.

// cycleDays is the number of days after which the calendar repeats.
const cycleDays = 146097

// clock computes calendar days and seconds of the day for a column of dates or times.
type clock struct {
	perSecond int64        // units of the column in a second; 0 if its values are days
	offsets   *zoneOffsets // the offsets of the time zone to which times are converted, or nil for none
	// buffers for one column
	days, daySeconds, ranks []int32
	seconds                 []int64
}

// newClock returns the clock of a column of type t. ok is false if t is neither a date nor a time. zone applies only to
// instants; nil is UTC.
func newClock(t table.Type, zone *time.Location) (c clock, ok bool) {
	switch {
	case t.Kind == table.Date:
		return clock{}, true
	case t.Kind != table.Timestamp || !columnar.HasCanonicalForm(t):
		return clock{}, false
	}
	c.perSecond = 1_000_000_000 / t.Unit
	if t.Zone == table.UTC && zone != nil && zone != time.UTC {
		c.offsets = zoneOffsetsOf(zone)
	}
	return c, true
}

// read returns the day of each value, counted from 1970-01-01 within the calendar's cycle, and the second of the day (0
// for dates). Both slices are valid until the next call.
func (c *clock) read(xs []int64) (days, seconds []int32) {
	c.days, c.daySeconds = columnar.Resize(c.days, len(xs)), columnar.Resize(c.daySeconds, len(xs))
	if c.perSecond == 0 {
		clear(c.daySeconds)
		for i, x := range xs {
			c.days[i] = int32(modulo(x, cycleDays))
		}
		return c.days, c.daySeconds
	}
	if c.perSecond == 1e6 && c.offsets == nil {
		c.readMicroseconds(xs)
		return c.days, c.daySeconds
	}
	c.seconds = columnar.Resize(c.seconds, len(xs))
	wholeSeconds(c.seconds, xs, c.perSecond)
	if c.offsets != nil {
		c.addOffsets()
	}
	for i, s := range c.seconds {
		inCycle := uint64(modulo(s, CycleSeconds))
		day := inCycle / columnar.DaySeconds
		c.days[i], c.daySeconds[i] = int32(day), int32(inCycle-day*columnar.DaySeconds)
	}
	return c.days, c.daySeconds
}

// readMicroseconds is read for microseconds without a time zone, which most files have. It needs only one loop.
func (c *clock) readMicroseconds(xs []int64) {
	days, daySeconds := c.days[:len(xs)], c.daySeconds[:len(xs)]
	for i, x := range xs {
		inCycle := uint64(modulo(x, 1e6*CycleSeconds)) / 1e6
		day := inCycle / columnar.DaySeconds
		days[i], daySeconds[i] = int32(day), int32(inCycle-day*columnar.DaySeconds)
	}
}

// wholeSeconds converts times to seconds, rounded down. For the usual units the divisor is a constant, which is faster.
func wholeSeconds(dst, xs []int64, perSecond int64) {
	dst = dst[:len(xs)]
	switch perSecond {
	case 1:
		copy(dst, xs)
	case 1e3:
		for i, x := range xs {
			dst[i] = floorDivide(x, 1e3)
		}
	case 1e6:
		for i, x := range xs {
			dst[i] = floorDivide(x, 1e6)
		}
	case 1e9:
		for i, x := range xs {
			dst[i] = floorDivide(x, 1e9)
		}
	default:
		for i, x := range xs {
			dst[i] = floorDivide(x, perSecond)
		}
	}
}

// addOffsets converts seconds in UTC to local seconds of the zone.
func (c *clock) addOffsets() {
	c.ranks = columnar.Resize(c.ranks, len(c.seconds))
	c.offsets.starts.ranks(c.ranks, c.seconds, 0)
	of := c.offsets.of
	for i, s := range c.seconds {
		rank := c.ranks[i]
		if s >= CycleStart+CycleSeconds {
			rank = c.offsets.starts.rank(CycleStart + (min(s, LastSecond)-CycleStart)%CycleSeconds)
		}
		c.seconds[i] = modulo(s, CycleSeconds) + of[rank]
	}
}

// floorDivide returns x/n, rounded down.
func floorDivide(x, n int64) int64 {
	q := x / n
	return q + (x-q*n)>>63
}

// modulo returns the non-negative remainder x mod n. Most times are between 0 and n and need no division.
func modulo(x, n int64) int64 {
	if uint64(x) < uint64(n) {
		return x
	}
	if x %= n; x < 0 {
		x += n
	}
	return x
}
