package preview

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dprelease/dprelease/io/table"
)

// value is a synthetic value of one column. The column's type decides which field is used; for dates and timestamps it
// is whole.
type value struct {
	null  bool
	whole int64
	real  float64
	text  string
	list  []float64
}

// absent is the value of a null.
var absent = value{null: true}

const (
	secondsOfDay = 24 * 3600
	nanoseconds  = 1_000_000_000
)

// parsed converts a text of the job to a value of a column's type. ok is false if the text is no such value.
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

// moment parses a date or time in one of the forms that a job allows.
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

// ofTime converts a time to a value of a date or timestamp column.
func ofTime(at time.Time, t table.Type) value {
	if t.Kind == table.Date {
		return value{whole: int64(math.Floor(float64(at.Unix()) / secondsOfDay))}
	}
	unit := max(t.Unit, 1)
	return value{whole: at.Unix()*(nanoseconds/unit) + int64(at.Nanosecond())/unit}
}

// span is a range of numbers, or of times in seconds since 1970. Its end high may be excluded.
type span struct{ low, high float64 }

// isTime reports whether t is the type of a date or a timestamp.
func isTime(t table.Type) bool { return t.Kind == table.Date || t.Kind == table.Timestamp }

// spanOf returns the span between two texts of the job. If low or high is nil, it is chosen at a distance from the
// other one, or at the end of the usual range.
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

// usual returns the usual range of values of a type, for columns that the job does not restrict.
func usual(t table.Type) span {
	if isTime(t) {
		from := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
		return span{float64(from), float64(from + 366*secondsOfDay)}
	}
	return span{0, 100}
}

// at returns the value at a position in the span, from 0 at low to 1 at high.
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

// whole returns an integer near x. It is within the span if the span contains an integer.
func whole(s span, x float64) int64 {
	n := math.Floor(x)
	if n < s.low {
		n = math.Ceil(s.low)
	}
	return int64(n)
}

// running returns an identifier: value n of a sequence in which all values of a type differ.
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
