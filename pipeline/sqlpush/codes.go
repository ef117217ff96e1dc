package sqlpush

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/queries/domain"
)

// Codes are written as expressions: a CASE for a short list of values, a binary search for edges. A row that is in no
// cell has the code NULL.

// fewCases is the length of the longest list of values that is written as a CASE. Longer lists are joined as a table.
const fewCases = 8

// listed returns the values that a coding lists, as literals, with their codes. ok is false if it lists none.
func (w *writer) listed(r *domain.Coding, binary bool) (pairs []pair, ok bool) {
	switch {
	case r.Ints != nil:
		for _, x := range r.Ints {
			pairs = append(pairs, pair{Value: integer(x.Value), Code: x.Code})
		}
	case r.Floats != nil:
		for _, x := range r.Floats {
			pairs = append(pairs, pair{Value: w.float(x.Value), Code: x.Code})
		}
	case r.Texts != nil:
		for _, x := range sortedTexts(r.Texts) {
			if literal, ok := w.text(x.Value, binary); ok {
				pairs = append(pairs, pair{Value: literal, Code: x.Code})
			}
		}
	default:
		return nil, false
	}
	return pairs, true
}

// sortedTexts returns the listed texts sorted, without duplicates.
func sortedTexts(listed []domain.Listed[string]) []domain.Listed[string] {
	texts := slices.Clone(listed)
	slices.SortFunc(texts, func(a, b domain.Listed[string]) int { return strings.Compare(a.Value, b.Value) })
	return slices.Compact(texts)
}

// outside returns expressions for the codes of numbers below the first edge and from the last edge on. If the range is
// closed, infinities and the last edge have codes of their own.
func (w *writer) outside(x string, s *domain.Steps[float64]) (below, beyond string) {
	below, beyond = code(s.Below), code(s.Beyond)
	if s.Closed {
		below = fmt.Sprintf("CASE WHEN %s < %s THEN %s ELSE %s END", x, w.float(-math.MaxFloat64), code(s.InfiniteCode(-1)),
			below)
		beyond = fmt.Sprintf("CASE WHEN %s = %s OR %s > %s THEN %d ELSE %s END", x, w.float(s.Last), x,
			w.float(math.MaxFloat64), s.LastCode, beyond)
	}
	return below, beyond
}

func (w *writer) floatSteps(x string, s *domain.Steps[float64]) string {
	below, beyond := w.outside(x, s)
	if among, ok := w.evenly(x, s); ok {
		return fmt.Sprintf("%s WHEN %s < %s THEN %s ELSE %s END", among, x, w.float(s.At[0]), below, beyond)
	}
	if code, ok := codeByCount(w, x, s.At, int64(s.Cells), below, beyond); ok {
		return code
	}
	return bisection(x, s, w.float, below, beyond)
}

// condition returns the SQL condition of a filter on the column x. It is NULL or false if x is NULL.
func (w *writer) condition(r *domain.Condition, x string, binary bool) string {
	if pairs, ok := w.listed(&r.Coding, binary); ok {
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
			return oneOf(x, values)
		}
		return x + " NOT IN (" + strings.Join(values, ", ") + ")"
	}
	return within(x, r, w.float)
}
