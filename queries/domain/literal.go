package domain

import (
	"fmt"
	"math/big"
	"time"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/problem"
)

// Parsing texts from the job as values of a column: numbers, booleans, dates and times. The texts are public, so error
// messages may quote them.

// clockLayouts are the accepted forms of a time of day after a date. The seconds may have a fraction.
var clockLayouts = []string{"", "T15:04", "T15:04:05", " 15:04", " 15:04:05"}

// parseMoment parses a date or time, YYYY-MM-DD[THH:MM[:SS[.fraction]]][Z or ±HH:MM]. If it has no offset from UTC, it
// is a time in zone.
func parseMoment(text string, zone *time.Location) (t time.Time, offset, ok bool) {
	for _, clock := range clockLayouts {
		if t, err := time.Parse("2006-01-02"+clock, text); err == nil {
			t, _ = inZone(t, zone)
			return t, false, true
		}
		if clock == "" {
			continue
		}
		if t, err := time.Parse("2006-01-02"+clock+"Z07:00", text); err == nil {
			return t, true, true
		}
	}
	return time.Time{}, false, false
}

// inZone returns the instant at which clocks in the zone show t. If clocks skip t, because daylight saving time begins,
// it returns the instant of the change, and skipped is true.
func inZone(t time.Time, zone *time.Location) (at time.Time, skipped bool) {
	y, m, d := t.Date()
	at = time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone)
	_, offset := at.Zone()
	local := at.Add(time.Duration(offset) * time.Second)
	if local.Equal(t) {
		return at, false
	}
	from, to := at.ZoneBounds()
	if local.Before(t) {
		return to, true
	}
	return from, true
}

// isSkipped reports whether a text is a local time that clocks in the zone skip.
func isSkipped(text string, zone *time.Location) bool {
	t, offset, ok := parseMoment(text, time.UTC)
	if !ok || offset || zone == nil {
		return false
	}
	_, skipped := inZone(t, zone)
	return skipped
}

// dayNanoseconds is the length of a day.
const dayNanoseconds = 24 * 3600 * 1_000_000_000

// parseScalar parses a text as an exact number in the unit of a column of type t, such as days. The number need not be
// an integer.
func parseScalar(text string, t table.Type, zone *time.Location) (*big.Rat, *problem.Error) {
	switch t.Kind {
	case table.Int, table.Uint:
		if x, err := calibrate.ParseDecimal(text); err == nil {
			return x.Rat(), nil
		}
		return nil, badText(text, t, "a decimal number")
	case table.Bool:
		switch text {
		case "true":
			return big.NewRat(1, 1), nil
		case "false":
			return new(big.Rat), nil
		}
		return nil, badText(text, t, "true or false")
	case table.Date:
		return instant(text, t, dayNanoseconds, time.UTC)
	case table.Timestamp:
		if t.Unit <= 0 {
			break
		}
		if t.Zone == table.UTC && zone != nil {
			return instant(text, t, t.Unit, zone)
		}
		return instant(text, t, t.Unit, time.UTC)
	}
	return nil, problem.BadType(t)
}

// instant parses a date or time. It returns the number of units since 1970-01-01, with units of unit nanoseconds.
func instant(text string, t table.Type, unit int64, zone *time.Location) (*big.Rat, *problem.Error) {
	at, offset, ok := parseMoment(text, zone)
	if !ok {
		return nil, badText(text, t, "a date or time, YYYY-MM-DD or YYYY-MM-DDTHH:MM:SS")
	}
	if offset && t.Zone != table.UTC {
		return nil, badText(text, t, "a date or time without an offset, for the column has no time zone")
	}
	return new(big.Rat).SetFrac(sinceEpoch(at), big.NewInt(unit)), nil
}

// sinceEpoch returns the nanoseconds from 1970-01-01T00:00:00Z to t.
func sinceEpoch(t time.Time) *big.Int {
	ns := new(big.Int).Mul(big.NewInt(t.Unix()), big.NewInt(1e9))
	return ns.Add(ns, big.NewInt(int64(t.Nanosecond())))
}

// badText returns the error that a text cannot be read as the column's type.
func badText(text string, t table.Type, want string) *problem.Error {
	return &problem.Error{Code: problem.CodeBadValue, Message: fmt.Sprintf("%q is not %s, and the column is %s", text,
		want, t)}
}

// integers maps the values of an integer column to int64 keys that have the same order. The key of a signed value is
// the value. The key of a uint64 value is the value minus 2^63.
type integers struct{ Unsigned bool }

// signBit is the lowest int64.
const signBit = -1 << 63

// key returns the key of the column value with these bits.
func (n integers) key(bits int64) int64 {
	if n.Unsigned {
		return bits ^ signBit
	}
	return bits
}

// keyOf returns the key of x. If x is outside of the type's range, beyond is -1 (too small) or +1 (too large).
func (n integers) keyOf(x *big.Int) (key int64, beyond int) {
	if n.Unsigned {
		x = new(big.Int).Add(x, big.NewInt(signBit))
	}
	if x.IsInt64() {
		return x.Int64(), 0
	}
	return 0, x.Sign()
}
