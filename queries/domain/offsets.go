package domain

import (
	"math"
	"sync"
	"time"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// zoneOffsets is a table of a time zone's offsets from UTC in the years 1900 to 2099. All clocks of the process share
// it.
type zoneOffsets struct {
	starts *intRanks // seconds since 1970 at which the offset changes
	of     []int64   // of[i] is the zone's offset in seconds after i changes, or unknownOffset outside of these years
}

// unknownOffset marks times outside of the table.
const unknownOffset = math.MinInt64

// knownZones holds the zoneOffsets of each zone that was used.
var knownZones sync.Map

func zoneOffsetsOf(zone *time.Location) *zoneOffsets {
	if o, ok := knownZones.Load(zone); ok {
		return o.(*zoneOffsets) //nolint:forcetypeassert // nothing else is stored
	}
	o, _ := knownZones.LoadOrStore(zone, newZoneOffsets(zone))
	return o.(*zoneOffsets) //nolint:forcetypeassert // nothing else is stored
}

func newZoneOffsets(zone *time.Location) *zoneOffsets {
	first, last := time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	starts, of := []int64{}, []int64{unknownOffset}
	for at := first; at.Before(last); {
		_, offset := at.In(zone).Zone()
		if int64(offset) != of[len(of)-1] {
			starts, of = append(starts, at.Unix()), append(of, int64(offset))
		}
		_, to := at.In(zone).ZoneBounds()
		if to.IsZero() {
			break
		}
		if !to.After(at) { // the library returns such a time on the last day of a leap year, if the zone's changes follow a rule
			to = at.Add(offsetStride)
		}
		at = to
	}
	starts, of = append(starts, last.Unix()), append(of, unknownOffset)
	return &zoneOffsets{newIntRanks(starts), of}
}

// All changes of clocks are at multiples of offsetStride.
const offsetStride = 15 * time.Minute

// Offsets describes how a database converts times of a column to local time.
type Offsets struct {
	// PerSecond is the number of the column's units in a second, or 0 if its values are days.
	PerSecond int64
	// Of[0] is the offset from UTC, in seconds, before Starts[0]. Of[i+1] is the offset from Starts[i] on. Starts holds
	// seconds since 1970. If Starts is empty, the offset is always Of[0].
	Starts, Of []int64
}

// From CycleStart, 2100-01-01, all time zones follow rules that repeat with the calendar every CycleSeconds. Tables end
// one cycle later. Before FirstSecond (year 1) the offset is the one at FirstSecond, and after LastSecond (year 9999)
// the one at LastSecond.
const (
	CycleStart   = 4102444800
	CycleSeconds = cycleDays * columnar.DaySeconds
	FirstSecond  = columnar.FirstDay * columnar.DaySeconds
	LastSecond   = (columnar.LastDay+1)*columnar.DaySeconds - 1
)

// offsetsTable returns the offsets for a column of type t.
func offsetsTable(t table.Type, zone *time.Location) *Offsets {
	c, _ := newClock(t, zone)
	out := &Offsets{PerSecond: c.perSecond, Of: []int64{0}}
	if c.zone == nil {
		return out
	}
	out.Of[0] = c.offsetAt(FirstSecond)
	for at := int64(FirstSecond); ; {
		next := c.until
		if next <= at { // the library returns such a time on the last day of a leap year, if the zone's changes follow a rule
			next = at + int64(offsetStride/time.Second)
		}
		if at = next; at >= CycleStart+CycleSeconds {
			return out
		}
		c.since, c.until = 0, 0 // empty the clock's cache
		if o := c.offsetAt(at); o != out.Of[len(out.Of)-1] {
			out.Starts, out.Of = append(out.Starts, at), append(out.Of, o)
		}
	}
}
