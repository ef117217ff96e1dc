package sqlpush

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/expr"
	"github.com/dprelease/dprelease/queries/domain"
)

// Codes of values, as expressions. A row that is in no cell has the code NULL.

// fewCases is the longest list of values that is written as cases. Longer ones are joined.
const fewCases = 8

// pairs lists the values of a rule with their codes, in an order that is the same each time; ok is false if the rule lists none.
func (w *writer) pairs(r *domain.Rule, binary bool) (pairs []Pair, ok bool) {
	switch {
	case r.Ints != nil:
		for _, v := range slices.Sorted(maps.Keys(r.Ints)) {
			pairs = append(pairs, Pair{Value: expr.Integer(v), Code: r.Ints[v]})
		}
	case r.Floats != nil:
		for _, v := range slices.Sorted(maps.Keys(r.Floats)) {
			pairs = append(pairs, Pair{Value: w.Float(v), Code: r.Floats[v]})
		}
	case r.Texts != nil:
		for _, v := range slices.Sorted(maps.Keys(r.Texts)) {
			if literal, ok := w.Text(v, binary); ok {
				pairs = append(pairs, Pair{Value: literal, Code: r.Texts[v]})
			}
		}
	default:
		return nil, false
	}
	return pairs, true
}

// outside returns the codes of the numbers before the first and from the last edge on.
func (w *writer) outside(x string, s *domain.Steps[float64]) (below, beyond string) {
	below, beyond = expr.Code(s.Below), expr.Code(s.Beyond)
	if s.Closed {
		below = fmt.Sprintf("CASE WHEN %s < %s THEN %s ELSE %s END", x, w.Float(-math.MaxFloat64), expr.Code(s.InfiniteCode(-1)), below)
		beyond = fmt.Sprintf("CASE WHEN %s = %s OR %s > %s THEN %d ELSE %s END", x, w.Float(s.Last), x, w.Float(math.MaxFloat64), s.LastCode, beyond)
	}
	return below, beyond
}

func (w *writer) floatSteps(x string, s *domain.Steps[float64]) string {
	below, beyond := w.outside(x, s)
	if among, ok := w.evenly(x, s); ok {
		return fmt.Sprintf("%s WHEN %s < %s THEN %s ELSE %s END", among, x, w.Float(s.At[0]), below, beyond)
	}
	return expr.Steps(x, s, w.Float, below, beyond)
}

// condition is what a row must fulfil that passes a filter. It is not fulfilled if the value is null.
func (w *writer) condition(r *domain.FilterRule, x string, binary bool) string {
	if pairs, ok := w.pairs(&r.Rule, binary); ok {
		var values []string
		for _, p := range pairs {
			values = append(values, p.Value)
		}
		listed := r.Want == 0
		switch {
		case len(values) == 0 && listed:
			return "1 = 0"
		case len(values) == 0:
			return x + " IS NOT NULL"
		case listed:
			return expr.OneOf(x, values)
		}
		return x + " NOT IN (" + strings.Join(values, ", ") + ")"
	}
	return expr.Within(x, r, w.Float)
}
