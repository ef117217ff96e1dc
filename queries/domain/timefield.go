package domain

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dprelease/dprelease/io/table"

	"github.com/dprelease/dprelease/queries/problem"
)

// timeField is a field of a time, such as the hour of day.
type timeField struct {
	name         string
	first, cells int64
	timeOfDay    bool // set if dates do not have the field, such as the hour
	// cellsOf sets dst[i] to the cell of time i, given its day and its second of the day.
	cellsOf func(dst, days, seconds []int32)
}

var timeFields = []timeField{
	{"minute_of_hour", 0, 60, true, minuteOfHour},
	{"hour_of_day", 0, 24, true, hourOfDay},
	{"hour_of_week", 0, 7 * 24, true, hourOfWeek},
	{"day_of_week", 0, 7, false, dayOfWeek},
	{"day_of_month", 1, 31, false, dayOfMonth},
	{"week_of_year", 1, 53, false, weekOfYear},
	{"month", 1, 12, false, month},
	{"quarter", 1, 4, false, quarter},
}

var weekdays = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// timeFieldDomain has a cell for each value of a time field.
type timeFieldDomain struct {
	timeField
	zone *time.Location
}

func newTimeField(name string, zone *time.Location, field string, p *problem.Problems) domain {
	names := make([]string, len(timeFields))
	for i, x := range timeFields {
		if x.name == name {
			return timeFieldDomain{x, zone}
		}
		names[i] = x.name
	}
	p.Add(field, problem.CodeBadValue, fmt.Sprintf("%q is not a part of a time", name),
		"parts: "+strings.Join(names, ", "))
	return nil
}

func (d timeFieldDomain) size() int { return int(d.cells) }

// Keys returns one column: integers, or texts if the axis has a null cell or other cell. Days of the week are always
// texts.
func (d timeFieldDomain) Keys(name string, extra []string) []KeyColumn {
	if d.name == "day_of_week" {
		return []KeyColumn{{Name: name, Labels: Labels{Strings: append(weekdays[:7:7], extra...)}}}
	}
	return []KeyColumn{{Name: name, Labels: IntegerLabels(d.first, d.cells, extra)}}
}

func (d timeFieldDomain) coding(t table.Type, _ ExtraCells) (c Coding, errs []*problem.Error) {
	if _, ok := newClock(t, d.zone); ok && (t.Kind != table.Date || !d.timeOfDay) {
		c.TimeField, c.zone = d.name, d.zone
		if t.Zone == table.UTC && d.zone != nil {
			c.Zone = d.zone.String()
		}
		c.offsets = sync.OnceValue(func() *Offsets { return offsetsTable(t, d.zone) })
		return c, nil
	}
	err := problem.BadType(t)
	err.Field, err.Message = ".column", fmt.Sprintf("a column of type %s has no %s", t, d.name)
	if t.Kind != table.Invalid {
		err.Hint = "times have all parts, dates those of the calendar; " + problem.TypesOfTexts
	}
	return c, []*problem.Error{err}
}

// timeFieldCoder maps dates and times to the cells of a time field.
type timeFieldCoder struct {
	clock clock
	cells func(dst, days, seconds []int32)
}

// newTimeFieldCoder returns the coder for a time field.
func newTimeFieldCoder(c *Coding) *timeFieldCoder {
	of := slices.IndexFunc(timeFields, func(f timeField) bool { return f.name == c.TimeField })
	clock, _ := newClock(c.Type, c.zone)
	return &timeFieldCoder{clock: clock, cells: timeFields[of].cellsOf}
}

// clockRows is the number of values that are processed at a time. It keeps intermediate results in the processor's
// cache.
const clockRows = 1024

func (c *timeFieldCoder) Codes(v table.Values, from int, dst []int32) {
	ints := v.Ints[from : from+len(dst)]
	for len(ints) > 0 {
		n := min(len(ints), clockRows)
		days, seconds := c.clock.read(ints[:n])
		c.cells(dst[:n], days, seconds)
		ints, dst = ints[n:], dst[n:]
	}
}
