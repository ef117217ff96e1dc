package queries

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
)

// A simple, slow reference for queries, which shares only types with the code under test.

// exactly returns a value as an exact number. x is nil if the value is null, NaN or a text that is not a number.
// infinite is 1 or -1 if the value is infinite, and 0 otherwise.
func exactly(t table.Type, v value) (x *big.Rat, infinite int) {
	if v.null {
		return nil, 0
	}
	f := v.x
	switch t.Kind {
	case table.Uint:
		return new(big.Rat).SetInt(new(big.Int).SetUint64(uint64(v.n))), 0
	case table.String:
		if strings.ContainsAny(v.s, "x_") {
			return nil, 0
		}
		var err error
		if f, err = strconv.ParseFloat(v.s, 64); err != nil && !math.IsInf(f, 0) {
			return nil, 0
		}
	case table.Float:
	default:
		return new(big.Rat).SetInt64(v.n), 0
	}
	if math.IsNaN(f) {
		return nil, 0
	}
	if math.IsInf(f, 0) {
		return new(big.Rat), int(math.Copysign(1, f))
	}
	return new(big.Rat).SetFloat64(f), 0
}

// literal returns the value of a source text of a job in a column of a type.
func literal(t table.Type, text string) *big.Rat {
	switch {
	case text == "true":
		return big.NewRat(1, 1)
	case text == "false":
		return new(big.Rat)
	case t.Kind == table.Date:
		for _, layout := range []string{"2006-01-02", "2006-01-02T15:04"} {
			if at, err := time.Parse(layout, text); err == nil {
				return big.NewRat(at.Unix(), 24*3600)
			}
		}
	case t.Kind == table.Float || t.Kind == table.String:
		f, _ := strconv.ParseFloat(text, 64)
		return new(big.Rat).SetFloat64(f)
	}
	x, _ := new(big.Rat).SetString(text)
	return x
}

// refCell returns the cell of a value in a dimension, or -1.
func refCell(d domain.Dimension, t table.Type, v value) int {
	cells := max(len(d.Labels), len(d.Edges)-1)
	null, other := -1, -1
	if d.Null == domain.OwnCell {
		null, cells = cells, cells+1
	}
	if d.Other == domain.OwnCell {
		other = cells
	}
	if v.null {
		return null
	}
	if len(d.Labels) > 0 {
		return refLabel(d, t, v, null, other)
	}
	x, infinite := exactly(t, v)
	n := len(d.Edges) - 1
	switch {
	case x == nil:
		return null
	case infinite < 0:
		return 0
	case infinite > 0:
		return n - 1
	case x.Cmp(literal(t, d.Edges[n])) == 0:
		return n - 1
	}
	for i := range n {
		if x.Cmp(literal(t, d.Edges[i])) >= 0 && x.Cmp(literal(t, d.Edges[i+1])) < 0 {
			return i
		}
	}
	return other
}

func refLabel(d domain.Dimension, t table.Type, v value, null, other int) int {
	for i, l := range d.Labels {
		for _, m := range l.Members {
			if t.Kind == table.String {
				if m == v.s {
					return i
				}
				continue
			}
			if x, infinite := exactly(t, v); x == nil {
				return null
			} else if infinite == 0 && x.Cmp(literal(t, m)) == 0 {
				return i
			}
		}
	}
	return other
}

func refSize(d domain.Dimension) int {
	n := refCells(d)
	for _, p := range []domain.Policy{d.Null, d.Other} {
		if p == domain.OwnCell {
			n++
		}
	}
	return n
}

// refUnit returns the canonical form of a row's unit; "" if it has none.
func refUnit(s Spec, t *testTable, row []value) string {
	unit := "unit"
	for _, name := range s.Unit {
		at := t.schema().Index(name)
		v := row[at]
		text := v.s
		switch t.fields[at].Type.Kind {
		case table.Int:
			text = fmt.Sprint(v.n)
		case table.Float:
			text = strings.TrimPrefix(strconv.FormatFloat(v.x, 'f', -1, 64), "-") // the test's floats are not negative
		}
		if v.null || t.fields[at].Type.Kind == table.Float && math.IsNaN(v.x) {
			return ""
		}
		unit += string(binary.BigEndian.AppendUint32(nil, uint32(len(text)))) + text
	}
	return unit
}

// refRow is a row that counts, with its cell and its quantized value (content). n is the number of earlier rows of its
// unit with the same cell and value.
type refRow struct {
	cell, n int
	content []int
	digest  []byte
}

func refDigest(order, unit string, numbers ...int) []byte {
	b := []byte("dprelease/bound1" + order + strings.TrimPrefix(unit, "unit"))
	for _, n := range numbers {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	sum := sha256.Sum256(b)
	return sum[:]
}

// reference answers a query row by row.
func reference(s Spec, t *testTable) []int64 {
	size := 1
	for _, d := range s.By {
		size *= refSize(d)
	}
	out := make([]int64, size)
	for _, r := range refAnswered(s, t, func([]value) ([]int, bool) { return nil, true }) {
		out[r.cell]++
	}
	return out
}

// refAnswered returns the rows that count in a query's answer. content returns the quantized value of a row, and false
// if the row does not count.
func refAnswered(s Spec, t *testTable, content func([]value) ([]int, bool)) []refRow {
	byUnit := map[string][]refRow{}
	for i, row := range t.rows {
		cell := 0
		for _, d := range s.By {
			c := refAxis(s, d, t, row)
			if cell = cell*refSize(d) + c; c < 0 {
				cell = math.MinInt32
			}
		}
		unit := refUnit(s, t, row)
		added, ok := content(row)
		if cell < 0 || unit == "" || !ok {
			continue
		}
		if len(s.Unit) == 0 {
			unit = fmt.Sprint("unit", i)
		}
		n := 0
		for _, r := range byUnit[unit] {
			if r.cell == cell && slices.Equal(r.content, added) {
				n++
			}
		}
		byUnit[unit] = append(byUnit[unit], refRow{cell, n, added,
			refDigest("r", unit, slices.Concat([]int{cell}, added, []int{n})...)})
	}
	var kept []refRow
	for unit, rows := range byUnit {
		kept = append(kept, refBound(unit, rows, s.Bounds)...)
	}
	return kept
}

// refBound keeps the max_groups cells of a unit with the smallest digests, in each of these cells the
// max_rows_per_group rows with the smallest digests, and of the remaining rows the max_rows with the smallest digests.
func refBound(unit string, rows []refRow, b Bounds) []refRow {
	unbounded := func(x int64) int64 {
		if x == 0 {
			return math.MaxInt64
		}
		return x
	}
	var cells []refRow
	for _, r := range rows {
		if !slices.ContainsFunc(cells, func(c refRow) bool { return c.cell == r.cell }) {
			cells = append(cells, refRow{cell: r.cell, digest: refDigest("c", unit, r.cell)})
		}
	}
	slices.SortFunc(cells, byDigest)
	cells = cells[:min(int64(len(cells)), unbounded(b.MaxGroups))]
	slices.SortFunc(rows, byDigest)
	inCell := map[int]int64{}
	var kept []refRow
	for _, r := range rows {
		if inCell[r.cell]++; inCell[r.cell] > unbounded(b.MaxRowsPerGroup) {
			continue
		}
		if slices.ContainsFunc(cells, func(c refRow) bool { return c.cell == r.cell }) &&
			int64(len(kept)) < unbounded(b.MaxRows) {
			kept = append(kept, r)
		}
	}
	return kept
}

func byDigest(a, b refRow) int {
	return cmp.Or(bytes.Compare(a.digest, b.digest), cmp.Compare(a.cell, b.cell))
}
