package domain

import (
	"fmt"
	"math/big"
	"regexp"
	"time"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/problem"
)

// Parsing texts from the job as values of a column: numbers, booleans, dates and times. The texts are public, so error
// messages may quote them.

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

// isRange matches texts such as 0-17, 65+ and <18, which stand for a range of numbers.
var isRange = regexp.MustCompile(`^([<>≤≥]=? *[0-9.]+|[0-9.]+ *(\+|(-|–|\.\.|to) *[0-9.]+))$`)

// badText returns the error that a text cannot be read as the column's type.
func badText(text string, t table.Type, want string) *problem.Error {
	e := &problem.Error{Code: problem.CodeBadValue, Message: fmt.Sprintf("%q is not %s, and the column is %s", text, want,
		t)}
	if isRange.MatchString(text) {
		e.Hint = "a range of numbers has two ends: edges: [0, 18, 65] in a dimension, min and max in a condition"
	}
	return e
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
