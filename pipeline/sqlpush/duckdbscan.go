package sqlpush

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/dprelease/dprelease/queries/domain"
)

// DuckDB compares and groups columns in their stored form if the answer is the same. A table scan drops rows by a range
// of a column much faster than a filter on an expression does. DuckDB also evaluates functions of dates, and groups by
// integers, once per entry of a dictionary. So rows are first grouped by a number with few values, such as a day or an
// hour, and the cell is computed once per group.

// scanColumn is a column of integers, dates (days since 1970) or times (microseconds since 1970).
type scanColumn struct {
	Raw string // the column as it is stored
	// Grouped is the expression by which rows are grouped: the stored column, or, for a TIMESTAMPTZ, a TIMESTAMP in
	// UTC.
	Grouped string
	number  string // the format that converts Grouped to a BIGINT; "" for times
	literal func(v int64) (string, bool)
	ends    bool // the type has values for both infinities, which only a range with two ends excludes
}

// scanTruth returns a column of booleans.
func scanTruth(x string) *scanColumn {
	return &scanColumn{Raw: x, Grouped: x, number: asBigint, literal: func(int64) (string, bool) { return "", false }}
}

const asBigint = "CAST(%s AS BIGINT)"

// scanWhole returns a column whose integer type is called kind.
func scanWhole(x, kind string) *scanColumn {
	of := map[string]domain.Span[int64]{
		"TINYINT": {Least: math.MinInt8, Most: math.MaxInt8}, "SMALLINT": {Least: math.MinInt16,
			Most: math.MaxInt16}, "INTEGER": {Least: math.MinInt32, Most: math.MaxInt32},
		"UTINYINT": {Most: math.MaxUint8}, "USMALLINT": {Most: math.MaxUint16}, "UINTEGER": {Most: math.MaxUint32},
		"BIGINT": {Least: math.MinInt64 + 1, Most: math.MaxInt64},
	}[kind]
	return &scanColumn{Raw: x, Grouped: x, number: asBigint,
		literal: func(v int64) (string, bool) { return strconv.FormatInt(v, 10), v >= of.Least && v <= of.Most }}
}

const asDays = "date_diff('day', DATE '1970-01-01', %s)"

// scanDays returns a column of dates.
func scanDays(x string) *scanColumn {
	return &scanColumn{Raw: x, Grouped: x, number: asDays, ends: true, literal: func(v int64) (string, bool) {
		const most = 1 << 20 // in days since 1970: far beyond the year 9999
		return "DATE '" + time.Unix(min(max(v, -most), most)*86400, 0).UTC().Format("2006-01-02") + "'", v >= firstDay &&
			v <= lastDay
	}}
}

// scanTimes returns a column of times. kind is TIMESTAMP or TIMESTAMPTZ. Literals of the latter need a zone, because
// the session may have another one.
func scanTimes(x, kind string) *scanColumn {
	zone := "'"
	if kind != "TIMESTAMP" {
		zone = "+00'"
	}
	c := &scanColumn{Raw: x, Grouped: x, ends: true, literal: func(v int64) (string, bool) {
		return kind + " '" + time.UnixMicro(v).UTC().Format("2006-01-02 15:04:05.000000") + zone, v >= firstDay*dayMicros &&
			v < (lastDay+1)*dayMicros
	}}
	if kind != "TIMESTAMP" {
		c.Grouped = "make_timestamp(epoch_us(" + x + "))"
	}
	return c
}

// within returns the condition that a value is not NULL and is in a range. ok is false if the condition cannot be
// written.
func (c *scanColumn) within(s domain.Span[int64]) (condition string, ok bool) {
	if c == nil || s.Least > s.Most {
		return "", false
	}
	least, from := c.literal(s.Least)
	most, to := c.literal(s.Most)
	switch {
	case from && to:
		return c.Raw + " >= " + least + " AND " + c.Raw + " <= " + most, true
	case c.ends:
		return "", false
	case from && s.Most == math.MaxInt64:
		return c.Raw + " >= " + least, true
	case to && s.Least == math.MinInt64:
		return c.Raw + " <= " + most, true
	}
	return "", false
}

// spanOf returns the range outside of which no value has a cell. ok is false if there is no such range, or if NULL has
// a cell.
func spanOf(r *domain.Coding) (s domain.Span[int64], ok bool) {
	if r.Null != domain.Dropped || r.Other != domain.Dropped || r.Nearest != nil || r.Grid != nil {
		return s, false
	}
	switch {
	case r.IntSteps != nil && len(r.IntSteps.At) > 0:
		return spanOfSteps(r.IntSteps), true
	case len(r.Ints) > 0:
		return domain.Span[int64]{Least: r.Ints[0].Value, Most: r.Ints[len(r.Ints)-1].Value}, true
	}
	return s, false
}

// spanOfSteps returns the range of values that have a cell.
func spanOfSteps(s *domain.Steps[int64]) domain.Span[int64] {
	most := int64(math.MaxInt64) // no upper limit, unless the last cell has an upper edge
	if len(s.At) > int(s.Cells) {
		most = s.At[len(s.At)-1] - 1
		if s.Closed {
			most = max(most, s.Last)
		}
	}
	return domain.Span[int64]{Least: s.At[0], Most: most}
}

// groupKey is a list of expressions by which rows are grouped before their cell is computed, such as the day and the
// hour of a time. They determine the row's code on one dimension.
type groupKey struct {
	By []string
	// Value returns an expression for a value of the column that has the same code as all rows of the group. columns
	// holds the names of the columns By.
	Value func(columns []string) string
}

// A column of integers is a group key by itself if its range has few values: at most maxGroupValues or, if that is
// more, at most valuesPerCell values per cell.
const (
	maxGroupValues = 1 << 12
	valuesPerCell  = 16
)

// key returns the group key of a dimension over this column. x is the name of the column that holds Grouped. within is
// set if no value is outside the dimension's range. ok is false if there would be too many groups.
func (c *scanColumn) key(r *domain.Coding, x string, within bool) (k groupKey, ok bool) {
	if c == nil || r.Nearest != nil || r.Grid != nil {
		return k, false
	}
	if c.number == "" {
		return clockKey(r, x, within)
	}
	number := fmt.Sprintf(c.number, x)
	k = groupKey{[]string{x}, func(columns []string) string { return fmt.Sprintf(c.number, columns[0]) }}
	switch {
	case r.TimeField != "":
		return k, r.Offsets().PerSecond == 0
	case r.Ints != nil:
		s, spanned := spanOf(r)
		return k, within && spanned && fewValues(s, len(r.Ints))
	case r.IntSteps == nil || len(r.IntSteps.At) == 0:
		return k, false
	}
	s := spanOfSteps(r.IntSteps)
	if width, even := evenWidth(r.IntSteps); even && within && width > 1 {
		return groupKey{[]string{fmt.Sprintf("(%s - %s) // %d", number, bracketed(s.Least), width)},
			func(columns []string) string {
				return fmt.Sprintf("%s * %d + %s", columns[0], width, bracketed(s.Least))
			}}, true
	}
	if !fewValues(s, int(r.IntSteps.Cells)) || s.Least == math.MinInt64 || r.IntSteps.Below != r.IntSteps.Beyond {
		return k, false
	}
	if !within {
		outside := fmt.Sprintf("CASE WHEN %s >= %d AND %s <= %d THEN %s WHEN %s IS NOT NULL THEN %d END", number, s.Least,
			number, s.Most, number, number, s.Least-1)
		return groupKey{[]string{outside}, func(columns []string) string { return columns[0] }}, true
	}
	return k, true
}

// cell returns the code of a number by one division. ok is false if the cells have different widths, or if numbers
// below the first edge and beyond the last one have different codes.
func (c *scanColumn) cell(s *domain.Steps[int64], x string, code func(int32) string) (cell string, ok bool) {
	width, alike := evenWidth(s)
	if c == nil || !alike || s.Below != s.Beyond {
		return "", false
	}
	n := len(s.At) - 1
	cell = fmt.Sprintf("CASE WHEN %s >= %d AND %s < %d THEN (%s - %s) // %d", x, s.At[0], x, s.At[n], x,
		bracketed(s.At[0]), width)
	if s.Closed && s.Last >= s.At[n] {
		cell += fmt.Sprintf(" WHEN %s = %d THEN %d", x, s.Last, s.LastCode)
	}
	return cell + " ELSE " + code(s.Beyond) + " END", true
}

// evenWidth returns the width that all cells have. ok is false if widths differ, or if differences of the edges may
// overflow.
func evenWidth(s *domain.Steps[int64]) (width int64, ok bool) {
	n := len(s.At) - 1
	if n < 1 || n != int(s.Cells) || s.At[0] < -maxEvenEdge || s.At[n] > maxEvenEdge || s.Closed && s.Last != s.At[n] &&
		s.Last != s.At[n]-1 {
		return 0, false
	}
	width = s.At[1] - s.At[0]
	for i := range n {
		if s.At[i+1]-s.At[i] != width {
			return 0, false
		}
	}
	return width, width > 0
}

const maxEvenEdge = 1 << 61

// bracketed writes a number, in brackets if it is negative.
func bracketed(v int64) string {
	if v < 0 {
		return fmt.Sprintf("(%d)", v)
	}
	return strconv.FormatInt(v, 10)
}

// clamped returns the expression that clamps a number of the column in its stored form. low and high, the clamp's
// bounds, are in quanta of 2^exponent. The expression's result is an integer, not in quanta: times is the number of
// quanta in 1. ok is false if a bound is not an integer that a double holds. NULL is clamped to low.
func (c *scanColumn) clamped(x string, exponent int, low, high int64) (clamped string, times int64, ok bool) {
	if c == nil || c.number != asBigint || exponent > 0 || exponent < -60 {
		return "", 0, false
	}
	times = 1 << -exponent
	_, from := c.literal(low / times)
	_, to := c.literal(high / times)
	const exact = 1 << 53
	if !from || !to || low%times != 0 || high%times != 0 ||
		max(low/times, -(low/times), high/times, -(high/times)) > exact {
		return "", 0, false
	}
	return fmt.Sprintf("least(greatest(%s, %s), %d)", x, bracketed(low/times), high/times), times, true
}

// movedSum returns times · sum - less · rows as a text. It overflows for no number of rows.
func movedSum(sum string, times int64, rows string, less int64) string {
	if times != 1 {
		sum += fmt.Sprintf(" * CAST(%d AS HUGEINT)", times)
	}
	if less != 0 {
		sum += fmt.Sprintf(" - CAST(%s AS HUGEINT) * %s", rows, bracketed(less))
	}
	return "CAST(" + sum + " AS VARCHAR)"
}

func fewValues(s domain.Span[int64], cells int) bool {
	return uint64(s.Most)-uint64(s.Least) <= uint64(max(maxGroupValues, valuesPerCell*cells))
}

// clockKey returns the group key of a dimension of times: the coarsest of day, day and hour, and day, hour and minute
// that still determines the cell.
func clockKey(r *domain.Coding, x string, within bool) (k groupKey, ok bool) {
	const day = "CAST(%s AS DATE)"
	days := func(column string) string { return fmt.Sprintf(asDays, column) }
	by := func(list ...string) []string {
		for i := range list {
			list[i] = fmt.Sprintf(list[i], x)
		}
		return list
	}
	ofDay := groupKey{by(day), func(c []string) string { return days(c[0]) + " * 86400000000" }}
	ofHour := groupKey{by(day, "hour(%s)"), func(c []string) string {
		return days(c[0]) + " * 86400000000 + " + c[1] +
			" * 3600000000"
	}}
	ofMinute := groupKey{by(day, "hour(%s)", "minute(%s)"), func(c []string) string {
		return days(c[0]) + " * 86400000000 + " + c[1] + " * 3600000000 + " + c[2] + " * 60000000"
	}}
	if o := r.Offsets(); o != nil {
		if o.PerSecond != 1e6 || len(o.Of) != 1 || o.Of[0] != 0 {
			return k, false
		}
		switch r.TimeField {
		case "minute_of_hour":
			return groupKey{by("minute(%s)"), func(c []string) string { return c[0] + " * 60000000" }}, true
		case "hour_of_day":
			return groupKey{by("hour(%s)"), func(c []string) string { return c[0] + " * 3600000000" }}, true
		case "hour_of_week":
			return ofHour, true
		}
		return ofDay, true
	}
	if r.IntSteps == nil || len(r.IntSteps.At) == 0 || !within {
		return k, false
	}
	for _, of := range []struct {
		micros int64
		key    groupKey
	}{{dayMicros, ofDay}, {3600e6, ofHour}, {60e6, ofMinute}} {
		s := spanOfSteps(r.IntSteps)
		if allMultiples(r.IntSteps, of.micros) && fewValues(domain.Span[int64]{Least: s.Least / of.micros,
			Most: s.Most / of.micros}, int(r.IntSteps.Cells)) {
			return of.key, true
		}
	}
	return k, false
}

// allMultiples reports whether all edges are multiples of a number of microseconds, such as an hour. Then all times of
// one hour are in the same cell.
func allMultiples(s *domain.Steps[int64], of int64) bool {
	for _, v := range s.At {
		if v%of != 0 {
			return false
		}
	}
	return !s.Closed || s.Last%of == 0
}
