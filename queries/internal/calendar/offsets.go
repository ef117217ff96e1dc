package calendar

import (
	"math"
	"sync"
	"time"

	"github.com/dprelease/dprelease/queries/internal/steps"
)

// offsets is the offsets of a zone in the years 1900 to 2099, the same for all clocks of the process.
type offsets struct {
	starts *steps.Ints // seconds since 1970 from which on an offset holds
	of     []int64     // the offset after each number of starts, in seconds; unknown beyond the years
}

// unknown stands for offsets that the table does not have.
const unknown = math.MinInt64

// known holds the offsets of each zone that was asked for.
var known sync.Map

func offsetsOf(zone *time.Location) *offsets {
	if o, ok := known.Load(zone); ok {
		return o.(*offsets) //nolint:forcetypeassert // nothing else is stored
	}
	o, _ := known.LoadOrStore(zone, newOffsets(zone))
	return o.(*offsets) //nolint:forcetypeassert // nothing else is stored
}

func newOffsets(zone *time.Location) *offsets {
	first, last := time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	starts, of := []int64{}, []int64{unknown}
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
			to = at.Add(stride)
		}
		at = to
	}
	starts, of = append(starts, last.Unix()), append(of, unknown)
	return &offsets{steps.NewInts(starts), of}
}

// stride is a time after which clocks may change at the earliest: all changes are at multiples of it.
const stride = 15 * time.Minute
