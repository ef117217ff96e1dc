package sqlpush

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/queries/domain"
)

// Codes of values, as expressions. A row that is in no cell has the code NULL.

// fewCases is the longest list of values that is written as cases. Longer ones are joined.
const fewCases = 8

func code(c int32) string {
	if c == domain.RuleDropped {
		return "NULL"
	}
	return strconv.Itoa(int(c))
}

// pairs lists the values of a rule with their codes, in an order that is the same each time; ok is false if the rule lists none.
func (w *writer) pairs(r *domain.Rule, binary bool) (pairs []Pair, ok bool) {
	switch {
	case r.Ints != nil:
		for _, v := range slices.Sorted(maps.Keys(r.Ints)) {
			pairs = append(pairs, Pair{integer(v), r.Ints[v]})
		}
	case r.Floats != nil:
		for _, v := range slices.Sorted(maps.Keys(r.Floats)) {
			pairs = append(pairs, Pair{w.Float(v), r.Floats[v]})
		}
	case r.Texts != nil:
		for _, v := range slices.Sorted(maps.Keys(r.Texts)) {
			if literal, ok := w.Text(v, binary); ok {
				pairs = append(pairs, Pair{literal, r.Texts[v]})
			}
		}
	default:
		return nil, false
	}
	return pairs, true
}

// integer writes a BIGINT. The least one has no literal of its own.
func integer(v int64) string {
	if v == math.MinInt64 {
		return "(-9223372036854775807 - 1)"
	}
	return strconv.FormatInt(v, 10)
}

// cases are the codes of listed values.
func cases(x string, pairs []Pair, other int32) string {
	byCode := map[int32][]string{}
	var order []int32
	for _, p := range pairs {
		if byCode[p.Code] == nil {
			order = append(order, p.Code)
		}
		byCode[p.Code] = append(byCode[p.Code], p.Value)
	}
	if len(order) == 0 {
		return code(other)
	}
	var b strings.Builder
	b.WriteString("CASE")
	for _, c := range order {
		fmt.Fprintf(&b, " WHEN %s THEN %d", oneOf(x, byCode[c]), c)
	}
	if other != domain.RuleDropped {
		fmt.Fprintf(&b, " ELSE %d", other)
	}
	b.WriteString(" END")
	return b.String()
}

func oneOf(x string, values []string) string {
	if len(values) == 1 {
		return x + " = " + values[0]
	}
	return x + " IN (" + strings.Join(values, ", ") + ")"
}

// steps is the code of a number by bisection.
func steps[T int64 | float64](x string, s *domain.Steps[T], literal func(T) string, below, beyond string) string {
	leaf := func(rank int) string {
		switch {
		case rank == 0:
			return below
		case rank <= int(s.Cells):
			return strconv.Itoa(rank - 1)
		}
		return beyond
	}
	var tree func(from, to int) string // of the ranks from to to
	tree = func(from, to int) string {
		if from == to {
			return leaf(from)
		}
		middle := (from + to) / 2 // a value of a rank above it has reached step middle
		return "CASE WHEN " + x + " < " + literal(s.At[middle]) + " THEN " + tree(from, middle) + " ELSE " + tree(middle+1, to) + " END"
	}
	return tree(0, len(s.At))
}

func (w *writer) intSteps(x string, s *domain.Steps[int64]) string {
	beyond := code(s.Beyond)
	if s.Closed {
		beyond = fmt.Sprintf("CASE WHEN %s <= %s THEN %d ELSE %s END", x, integer(s.Last), s.LastCode, beyond)
	}
	return steps(x, s, integer, code(s.Below), beyond)
}

func (w *writer) floatSteps(x string, s *domain.Steps[float64]) string {
	below, beyond := code(s.Below), code(s.Beyond)
	if s.Closed {
		below = fmt.Sprintf("CASE WHEN %s < %s THEN %s ELSE %s END", x, w.Float(-math.MaxFloat64), code(s.InfiniteCode(-1)), below)
		beyond = fmt.Sprintf("CASE WHEN %s = %s OR %s > %s THEN %d ELSE %s END", x, w.Float(s.Last), x, w.Float(math.MaxFloat64), s.LastCode, beyond)
	}
	if among, ok := w.evenly(x, s); ok {
		return fmt.Sprintf("%s WHEN %s < %s THEN %s ELSE %s END", among, x, w.Float(s.At[0]), below, beyond)
	}
	return steps(x, s, w.Float, below, beyond)
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
			return oneOf(x, values)
		}
		return x + " NOT IN (" + strings.Join(values, ", ") + ")"
	}
	var all []string
	add := func(op, bound string) { all = append(all, x+" "+op+" "+bound) }
	switch {
	case r.IntRange != nil:
		if r.IntRange.Least > r.IntRange.Most {
			return "1 = 0"
		}
		if r.IntRange.Least > math.MinInt64 {
			add(">=", integer(r.IntRange.Least))
		}
		if r.IntRange.Most < math.MaxInt64 {
			add("<=", integer(r.IntRange.Most))
		}
	case r.FloatRange != nil:
		if !(r.FloatRange.Least <= r.FloatRange.Most) {
			return "1 = 0"
		}
		if !math.IsInf(r.FloatRange.Least, -1) {
			add(">=", w.Float(r.FloatRange.Least))
		}
		if !math.IsInf(r.FloatRange.Most, 1) {
			add("<=", w.Float(r.FloatRange.Most))
		}
	}
	if len(all) == 0 {
		return x + " IS NOT NULL"
	}
	return strings.Join(all, " AND ")
}
