package sqlpush

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/queries/domain"
)

// The SQL of this file is the same in every dialect: literals of numbers and texts, and CASE expressions.

// code returns the literal of a code: NULL for domain.Dropped, the code of a row in no cell.
func code(c int32) string {
	if c == domain.Dropped {
		return "NULL"
	}
	return strconv.Itoa(int(c))
}

// integer returns the literal of a BIGINT. The smallest one is a difference, because its magnitude is no BIGINT.
func integer(v int64) string {
	if v == math.MinInt64 {
		return "(-9223372036854775807 - 1)"
	}
	return strconv.FormatInt(v, 10)
}

// oneOf returns the condition that x is one of some values.
func oneOf(x string, values []string) string {
	if len(values) == 1 {
		return x + " = " + values[0]
	}
	return x + " IN (" + strings.Join(values, ", ") + ")"
}

// bisection returns the code of a number by a binary search among the edges, as nested CASE expressions. The code is
// below before the first edge, and beyond from the last edge on.
func bisection[T int64 | float64](x string, s *domain.Steps[T], literal func(T) string, below, beyond string) string {
	leaf := func(rank int) string {
		switch {
		case rank == 0:
			return below
		case rank <= int(s.Cells):
			return strconv.Itoa(rank - 1)
		}
		return beyond
	}
	var tree func(from, to int) string // for x with from to to edges <= x
	tree = func(from, to int) string {
		if from == to {
			return leaf(from)
		}
		middle := (from + to) / 2 // if x >= edge middle, the search continues above it
		return "CASE WHEN " + x + " < " + literal(s.At[middle]) + " THEN " + tree(from, middle) + " ELSE " +
			tree(middle+1, to) + " END"
	}
	return tree(0, len(s.At))
}

// exponential returns the shortest decimal that is read as the same double, with an exponent.
func exponential(x float64) string { return strconv.FormatFloat(x, 'e', -1, 64) }

// plainText reports whether every dialect reads a text between single quotes as it is, and no driver takes it for a
// placeholder. Other texts are written in hexadecimal, so nothing needs an escape.
func plainText(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') &&
			!strings.ContainsRune(" _.,+-/()<>=", c)
	})
}

// quoted writes a text for which plainText is true.
func quoted(s string) string { return "'" + s + "'" }

// hexadecimal returns bytes as hexadecimal digits.
func hexadecimal(b []byte) string { return strings.ToUpper(hex.EncodeToString(b)) }

// isName reports whether an expression is only a number or a column name that this package made, such as e12.
func isName(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') })
}

// product returns a·b for positive numbers, or math.MaxInt64 if it overflows.
func product(a, b int64) int64 {
	if a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

// notNull returns the condition, for each column, that it is not NULL.
func notNull(columns []string) (out []string) {
	for _, x := range columns {
		out = append(out, x+" IS NOT NULL")
	}
	return out
}

// having returns a HAVING clause that drops groups by conditions on their columns. COUNT(*) keeps the optimizer from
// moving the conditions below the grouping, where it would compute the columns twice.
func having(conditions []string) string {
	if len(conditions) == 0 {
		return ""
	}
	return "\nHAVING CASE WHEN COUNT(*) > 0 THEN " + strings.Join(conditions, " AND ") + " END"
}

// less returns the expression x - centre.
func less(x string, centre int64) string {
	switch {
	case centre == 0:
		return x
	case centre < 0:
		return fmt.Sprintf("%s + %d", x, -centre)
	}
	return fmt.Sprintf("%s - %d", x, centre)
}

// within returns the condition that x is in the range of a filter; float writes a double's literal.
func within(x string, r *domain.Condition, float func(float64) string) string {
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
			add(">=", float(r.FloatRange.Least))
		}
		if !math.IsInf(r.FloatRange.Most, 1) {
			add("<=", float(r.FloatRange.Most))
		}
	}
	if len(all) == 0 {
		return x + " IS NOT NULL"
	}
	return strings.Join(all, " AND ")
}

// cases returns a CASE with the codes of listed values, and other for the rest.
func cases(x string, pairs []pair, other int32) string {
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
	if other != domain.Dropped {
		fmt.Fprintf(&b, " ELSE %d", other)
	}
	b.WriteString(" END")
	return b.String()
}

// maxBranches is the largest number of edges for which a binary search is written if the dialect has a function for
// it.
const maxBranches = 100

// codeByCount returns the code of a double by a function of the dialect that counts the edges <= x. ok is false if
// there are few edges or no such function.
func codeByCount(w *writer, x string, at []float64, cells int64, below, beyond string) (code string, ok bool) {
	if len(at) <= maxBranches {
		return "", false
	}
	count, ok := w.reached(x, at)
	if !ok {
		return "", false
	}
	count = w.stage(count)
	return fmt.Sprintf("CASE WHEN %s = 0 THEN %s WHEN %s <= %d THEN %s - 1 ELSE %s END", count, below, count, cells, count,
		beyond), true
}

// exactDoubles returns integers as doubles. ok is false if one exceeds 2^53: then a smaller BIGINT could be rounded to
// the same double.
func exactDoubles(at []int64) (out []float64, ok bool) {
	for _, v := range at {
		if v <= -1<<53 || v >= 1<<53 {
			return nil, false
		}
		out = append(out, float64(v))
	}
	return out, true
}

// intSteps returns the code of an integer among edges.
func (w *writer) intSteps(x string, s *domain.Steps[int64]) string {
	beyond := code(s.Beyond)
	if s.Closed {
		beyond = fmt.Sprintf("CASE WHEN %s <= %s THEN %d ELSE %s END", x, integer(s.Last), s.LastCode, beyond)
	}
	if at, ok := exactDoubles(s.At); ok {
		if code, ok := codeByCount(w, w.double(x), at, int64(s.Cells), code(s.Below), beyond); ok {
			return code
		}
	}
	return bisection(x, s, integer, code(s.Below), beyond)
}

// pairList returns the rows of a VALUES list.
func pairList(pairs []pair) string {
	rows := make([]string, len(pairs))
	for i, p := range pairs {
		rows[i] = fmt.Sprintf("(%s, %d)", p.Value, p.Code)
	}
	return strings.Join(rows, ", ")
}

// pair is the literal of a listed value, and the value's code.
type pair struct {
	Value string
	Code  int32
}

// onEarth returns the condition that coordinates are valid degrees. Latitude 0 with longitude 0 counts as missing.
func onEarth(lat, lon string, number func(float64) string) string {
	return fmt.Sprintf("%s >= %s AND %s <= %s AND %s >= %s AND %s <= %s AND (%s <> %s OR %s <> %s)",
		lat, number(-90), lat, number(90), lon, number(-180), lon, number(180), lat, number(0), lon, number(0))
}

// bin returns the number of a row's table: the index of the bin that holds its quantized value. If null is set, NULL
// has the number after the last bin.
func bin(x string, bins []int64, low, high int64, null bool) string {
	var tree func(from, to int) string // for x in one of the bins from to to
	tree = func(from, to int) string {
		switch middle := (from + to) / 2; {
		case from == to:
			return strconv.Itoa(from)
		case bins[middle] > high:
			return tree(from, middle)
		case bins[middle] <= low:
			return tree(middle+1, to)
		default:
			return "CASE WHEN " + x + " < " + integer(bins[middle]) + " THEN " + tree(from, middle) + " ELSE " +
				tree(middle+1, to) + " END"
		}
	}
	bin := tree(0, len(bins))
	if !null {
		return bin
	}
	return fmt.Sprintf("CASE WHEN %s IS NULL THEN %d ELSE %s END", x, len(bins)+1, bin)
}

// step returns the number of a row's table: the index of the first step that is at least the row's rank.
func step(rank string, steps []int64) string {
	var b strings.Builder
	b.WriteString("CASE")
	for i, most := range steps {
		fmt.Fprintf(&b, " WHEN %s <= %d THEN %d", rank, most, i)
	}
	return b.String() + " END"
}
