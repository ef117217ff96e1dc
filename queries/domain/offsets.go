package domain

import (
	"math"
	"sync"
	"time"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// zoneOffsets is the offsets of a zone in the years 1900 to 2099, the same for all clocks of the process.
type zoneOffsets struct {
	starts *intRanks // seconds since 1970 from which on an offset holds
	of     []int64   // the offset after each number of starts, in seconds; unknown beyond the years
}

// unknownOffset stands for offsets that the table does not have.
const unknownOffset = math.MinInt64

// knownZones holds the offsets of each zone that was asked for.
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
		if !to.After(at) { // so says the library on the last day of a leap year whose changes follow from a rule
			to = at.Add(offsetStride)
		}
		at = to
	}
	starts, of = append(starts, last.Unix()), append(of, unknownOffset)
	return &zoneOffsets{newIntRanks(starts), of}
}

// offsetStride is a time after which clocks may change at the earliest: all changes are at multiples of it.
const offsetStride = 15 * time.Minute

// Offsets is what a [clock] needs to know of its column and its zone, in plain numbers.
type Offsets struct {
	// PerSecond is how many units of the column a second has; 0 if its values are days.
	PerSecond int64
	// Of[0] is the seconds by which clocks are ahead of UTC before Starts[0], and Of[i+1] from Starts[i] on, in seconds
	// since 1970. If there are no starts, the offset is always Of[0].
	Starts, Of []int64
}

// From CycleStart, 2100-01-01, on all zones follow rules that repeat with the calendar, every CycleSeconds. Tables end
// one cycle later. A second before FirstSecond or after LastSecond, in the years 1 and 9999, has the offset of these.
const (
	CycleStart   = 4102444800
	CycleSeconds = cycleDays * columnar.DaySeconds
	FirstSecond  = columnar.FirstDay * columnar.DaySeconds
	LastSecond   = (columnar.LastDay+1)*columnar.DaySeconds - 1
)

// offsetsTable returns the table of a column of dates or times.
func offsetsTable(t table.Type, zone *time.Location) *Offsets {
	c, _ := newClock(t, zone)
	out := &Offsets{PerSecond: c.perSecond, Of: []int64{0}}
	if c.zone == nil {
		return out
	}
	out.Of[0] = c.offsetAt(FirstSecond)
	for at := int64(FirstSecond); ; {
		next := c.until
		if next <= at { // so says the library on the last day of a leap year whose changes follow from a rule
			next = at + int64(offsetStride/time.Second)
		}
		if at = next; at >= CycleStart+CycleSeconds {
			return out
		}
		c.since, c.until = 0, 0 // look again
		if o := c.offsetAt(at); o != out.Of[len(out.Of)-1] {
			out.Starts, out.Of = append(out.Starts, at), append(out.Of, o)
		}
	}
}
