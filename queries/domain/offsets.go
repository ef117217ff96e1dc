package domain

import (
	"sync"
	"time"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// Offsets describes how times of a column become local times.
type Offsets struct {
	// PerSecond is the number of the column's units in a second, or 0 if its values are days.
	PerSecond int64
	// Of[0] is the offset from UTC, in seconds, before Starts[0]. Of[i+1] is the offset from Starts[i] on. Starts holds
	// seconds since 1970. If Starts is empty, the offset is always Of[0].
	Starts, Of []int64
}

// From CycleStart, 2100-01-01, all time zones follow rules that repeat with the calendar every CycleSeconds. Tables of
// offsets end one cycle after CycleStart. Before FirstSecond (year 1) the offset is the one at FirstSecond, and after
// LastSecond (year 9999) the one at LastSecond.
const (
	CycleStart   = 4102444800
	CycleSeconds = cycleDays * columnar.DaySeconds
	FirstSecond  = columnar.FirstDay * columnar.DaySeconds
	LastSecond   = (columnar.LastDay+1)*columnar.DaySeconds - 1
)

// zoneOffsets is the table of a time zone's offsets from UTC; see [Offsets]. All clocks of the process share it.
type zoneOffsets struct {
	starts *intRanks
	of     []int64
}

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
	var starts, of []int64
	for at := time.Unix(FirstSecond, 0).In(zone); at.Unix() < CycleStart+CycleSeconds; {
		_, seconds := at.Zone()
		offset := int64(seconds)
		switch {
		case of == nil:
			of = append(of, offset)
		case offset != of[len(of)-1]:
			starts, of = append(starts, at.Unix()), append(of, offset)
		}
		_, to := at.ZoneBounds()
		if to.IsZero() {
			break
		}
		if !to.After(at) { // the library returns such a time on the last day of a leap year, if the zone's changes follow a rule
			to = at.Add(offsetStride)
		}
		at = to.In(zone)
	}
	return &zoneOffsets{newIntRanks(starts), of}
}

// All changes of clocks are at multiples of offsetStride.
const offsetStride = 15 * time.Minute

// offsetsTable returns the offsets for a column of type t.
func offsetsTable(t table.Type, zone *time.Location) *Offsets {
	c, _ := newClock(t, zone)
	if c.offsets == nil {
		return &Offsets{PerSecond: c.perSecond, Of: []int64{0}}
	}
	return &Offsets{PerSecond: c.perSecond, Starts: c.offsets.starts.steps, Of: c.offsets.of}
}
