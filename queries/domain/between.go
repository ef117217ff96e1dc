package domain

import (
	"math"
	"math/big"
	"time"

	"github.com/dprelease/dprelease/io/table"

	"github.com/dprelease/dprelease/queries/problem"
)

// rangeOfFilter holds the bounds of a filter's range as exact numbers, in the unit of the column's integers (such as
// days). A missing bound is nil.
type rangeOfFilter struct{ from, before, min, max *big.Rat }

// between returns the coding of a filter that keeps a range of values: values in the range have the code 0, and rows
// with all other values are dropped.
func (f *FilterSpec) between(t table.Type, zone *time.Location) (c Coding, errs []*problem.Error) {
	e, errs := f.readRange(t, zone)
	if len(errs) > 0 {
		return c, errs
	}
	switch t.Kind {
	case table.Float:
		c.FloatRange = e.floats()
	case table.String:
		c.IntRange, c.FloatRange = e.ints(table.Type{Kind: table.Int}), e.floats()
	default:
		c.IntRange = e.ints(t)
	}
	return c, nil
}

// readRange parses the bounds of the range. It reports an empty range as an error.
func (f *FilterSpec) readRange(t table.Type, zone *time.Location) (e rangeOfFilter, errs []*problem.Error) {
	for _, end := range []struct {
		text  *string
		field string
		at    **big.Rat
	}{{f.From, ".from", &e.from}, {f.Before, ".before", &e.before}, {f.Min, ".min", &e.min}, {f.Max, ".max", &e.max}} {
		if end.text == nil {
			continue
		}
		x, err := parseBound(*end.text, t, zone)
		if err != nil && err.Code == problem.CodeColumnType {
			err.Field = ".column"
			return e, []*problem.Error{err}
		}
		if err != nil {
			err.Field = end.field
			errs = append(errs, err)
		}
		*end.at = x
	}
	if f.For != "" && e.from != nil {
		var err *problem.Error
		if e.before, err = intervalEnd(*f.From, f.For, t, zone); err != nil {
			errs = append(errs, err)
		}
	}
	return e, append(errs, e.checkNumbers()...)
}

// checkNumbers reports a lower bound that is above the upper bound.
func (e *rangeOfFilter) checkNumbers() []*problem.Error {
	var errs []*problem.Error
	if e.from != nil && e.before != nil && e.from.Cmp(e.before) >= 0 {
		errs = append(errs, &problem.Error{Field: ".before", Code: problem.CodeBadValue,
			Message: "before is not above from: the filter keeps no row"})
	}
	if e.min != nil && e.max != nil && e.min.Cmp(e.max) > 0 {
		errs = append(errs, &problem.Error{Field: ".max", Code: problem.CodeBadValue,
			Message: "max is below min: the filter keeps no row"})
	}
	return errs
}

// parseBound parses a bound as a number in the unit of a column of type t.
func parseBound(text string, t table.Type, zone *time.Location) (*big.Rat, *problem.Error) {
	switch t.Kind {
	case table.Bool:
		return nil, problem.BadType(t)
	case table.Float, table.String:
		if _, ok := nearest(text); !ok {
			err := badText(text, t, "a decimal number in float64's range")
			err.Hint = "numbers are compared with numbers, dates and times with dates and timestamps; input.csv.types types a " +
				"CSV column"
			return nil, err
		}
		x, _ := Number(text)
		return x, nil
	}
	return parseScalar(text, t, zone)
}

// ints returns the range of integers between exact bounds e: x ≥ e iff x ≥ ceil(e), x ≤ e iff x ≤ floor(e), and x < e
// iff x ≤ ceil(e) − 1.
func (e *rangeOfFilter) ints(t table.Type) *Span[int64] {
	r := intRange{integers{Unsigned: t.Kind == table.Uint}, Span[int64]{math.MinInt64, math.MaxInt64}}
	for _, low := range []*big.Rat{e.from, e.min} {
		if low != nil {
			r.above(Ceil(low))
		}
	}
	if e.before != nil {
		x := Ceil(e.before)
		r.below(x.Sub(x, big.NewInt(1)))
	}
	if e.max != nil {
		r.below(Floor(e.max))
	}
	return &r.Span
}

// floats returns the range of floats between the bounds, each rounded to the nearest float.
func (e *rangeOfFilter) floats() *Span[float64] {
	r := &Span[float64]{math.Inf(-1), math.Inf(1)}
	for _, low := range []*big.Rat{e.from, e.min} {
		if low != nil {
			x, _ := low.Float64()
			r.Least = max(r.Least, x)
		}
	}
	if e.before != nil {
		x, _ := e.before.Float64()
		r.Most = math.Nextafter(x, math.Inf(-1))
	}
	if e.max != nil {
		x, _ := e.max.Float64()
		r.Most = min(r.Most, x)
	}
	return r
}
