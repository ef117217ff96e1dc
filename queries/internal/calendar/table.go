package calendar

import (
	"time"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// Table is what a [Clock] needs to know of its column and its zone, in plain numbers.
type Table struct {
	// PerSecond is how many units of the column a second has; 0 if its values are days.
	PerSecond int64
	// Of[0] is the seconds by which clocks are ahead of UTC before Starts[0], and Of[i+1] from Starts[i] on, in seconds since 1970. If there are no
	// starts, the offset is always Of[0].
	Starts, Of []int64
}

// From CycleStart, 2100-01-01, on all zones follow rules that repeat with the calendar, every CycleSeconds. Tables end one cycle later. A second
// before FirstSecond or after LastSecond, in the years 1 and 9999, has the offset of these.
const (
	CycleStart   = 4102444800
	CycleSeconds = cycleSeconds
	FirstSecond  = columnar.FirstDay * columnar.DaySeconds
	LastSecond   = (columnar.LastDay+1)*columnar.DaySeconds - 1
)

// OffsetTable returns the table of a column of that type; ok is false if it holds neither dates nor times.
func OffsetTable(t table.Type, zone *time.Location) (*Table, bool) {
	c, ok := NewClock(t, zone)
	if !ok {
		return nil, false
	}
	out := &Table{PerSecond: c.perSecond, Of: []int64{0}}
	if c.zone == nil {
		return out, true
	}
	out.Of[0] = c.offsetAt(FirstSecond)
	for at := int64(FirstSecond); ; {
		next := c.until
		if next <= at { // so says the library on the last day of a leap year whose changes follow from a rule
			next = at + int64(stride/time.Second)
		}
		if at = next; at >= CycleStart+CycleSeconds {
			return out, true
		}
		c.since, c.until = 0, 0 // look again
		if o := c.offsetAt(at); o != out.Of[len(out.Of)-1] {
			out.Starts, out.Of = append(out.Starts, at), append(out.Of, o)
		}
	}
}
