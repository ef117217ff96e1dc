package preview

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dprelease/dprelease/io/table"
)

// value is a synthetic value of one column. The column's type decides which field holds it: dates and timestamps are in
// whole.
type value struct {
	null  bool
	whole int64
	real  float64
	text  string
	list  []float64
}

// absent is a null.
var absent = value{null: true}

const (
	secondsOfDay = 24 * 3600
	nanoseconds  = 1_000_000_000
)

// parsed returns the value of a text of the job in a column of a type; ok is false if the type has no such value.
func parsed(text string, t table.Type, zone *time.Location) (value, bool) {
	switch t.Kind {
	case table.String:
		return value{text: text}, true
	case table.Bool:
		if text == "true" {
			return value{whole: 1}, true
		}
		return value{}, text == "false"
	case table.Date, table.Timestamp:
		at, ok := moment(text, t, zone)
		if !ok {
			return value{}, false
		}
		return ofTime(at, t), true
	case table.Int, table.Uint:
		x, err := strconv.ParseInt(text, 10, 64)
		return value{whole: x}, err == nil && (x >= 0 || t.Kind == table.Int)
	case table.Float:
		x, err := strconv.ParseFloat(text, 64)
		return value{real: x}, err == nil
	}
	return value{}, false
}

// moment parses a date or time in the forms that a job may have.
func moment(text string, t table.Type, zone *time.Location) (time.Time, bool) {
	if zone == nil || t.Zone != table.UTC {
		zone = time.UTC
	}
	for _, clock := range []string{"", "T15:04", "T15:04:05", " 15:04", " 15:04:05"} {
		if at, err := time.ParseInLocation("2006-01-02"+clock, text, zone); err == nil {
			return at, true
		}
		if at, err := time.Parse("2006-01-02"+clock+"Z07:00", text); err == nil && clock != "" {
			return at, true
		}
	}
	return time.Time{}, false
}

// ofTime returns a time as a value of a column of dates or timestamps.
func ofTime(at time.Time, t table.Type) value {
	if t.Kind == table.Date {
		return value{whole: int64(math.Floor(float64(at.Unix()) / secondsOfDay))}
	}
	unit := max(t.Unit, 1)
	return value{whole: at.Unix()*(nanoseconds/unit) + int64(at.Nanosecond())/unit}
}

// span is a range of numbers or of times. High may be excluded.
type span struct{ low, high float64 }

// isTime reports whether values of a type are times. Spans of times are in seconds since 1970.
func isTime(t table.Type) bool { return t.Kind == table.Date || t.Kind == table.Timestamp }

// spanOf parses two ends. An end that is nil is chosen far from the other one, or from the usual range.
func spanOf(low, high *string, t table.Type, zone *time.Location) (span, bool) {
	a, okA := endOf(low, t, zone)
	b, okB := endOf(high, t, zone)
	width := 100.0
	if isTime(t) {
		width = 365 * secondsOfDay
	}
	switch {
	case low != nil && !okA, high != nil && !okB:
		return span{}, false
	case low == nil && high == nil:
		return usual(t), true
	case low == nil:
		return span{b - width, b}, true
	case high == nil:
		return span{a, a + width}, true
	}
	return span{a, b}, a <= b
}

func endOf(text *string, t table.Type, zone *time.Location) (float64, bool) {
	if text == nil {
		return 0, false
	}
	if isTime(t) {
		at, ok := moment(*text, t, zone)
		return float64(at.Unix()), ok
	}
	x, err := strconv.ParseFloat(*text, 64)
	return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
}

// usual returns the range of a column whose values the job does not restrict.
func usual(t table.Type) span {
	if isTime(t) {
		from := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
		return span{float64(from), float64(from + 366*secondsOfDay)}
	}
	return span{0, 100}
}

// at returns the value at a fraction of the span, from 0 to 1.
func (s span) at(share float64, t table.Type) value {
	x := s.low + share*(s.high-s.low)
	switch t.Kind {
	case table.Int:
		return value{whole: whole(s, x)}
	case table.Uint:
		return value{whole: max(whole(s, x), 0)}
	case table.Float:
		return value{real: x}
	case table.String:
		return value{text: strconv.FormatFloat(x, 'g', 6, 64)}
	case table.Bool:
		return value{whole: int64(math.Round(share))}
	}
	return ofTime(time.Unix(int64(math.Floor(x)), 0).UTC(), t)
}

// whole returns an integer near x, within the span if the span contains one.
func whole(s span, x float64) int64 {
	n := math.Floor(x)
	if n < s.low {
		n = math.Ceil(s.low)
	}
	return int64(n)
}

// running returns the n-th of many distinct values of a type: an identifier.
func running(n int, name string, t table.Type) value {
	switch t.Kind {
	case table.Int, table.Uint:
		return value{whole: int64(n) + 1}
	case table.Float:
		return value{real: float64(n) + 1}
	case table.Bool:
		return value{whole: int64(n % 2)}
	case table.Date:
		return value{whole: int64(n % 20_000)}
	case table.Timestamp:
		return value{whole: int64(n) * (nanoseconds / max(t.Unit, 1))}
	}
	return value{text: strings.Join([]string{"synthetic", name, strconv.Itoa(n + 1)}, "-")}
}
