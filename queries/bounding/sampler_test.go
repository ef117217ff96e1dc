package bounding

import (
	"encoding/binary"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/combin"
	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// falseAlarm is the probability that a correct sampler fails a test of uniformity.
const falseAlarm = 1e-9

// oneUnit is a unit whose rows are numbered by their cells.
type oneUnit struct{ id uint64 }

func (u oneUnit) AppendUnit(dst []byte) []byte {
	return columnar.AppendValue(dst, u.id, table.Type{Kind: table.Int})
}

func (u oneUnit) Content(ref uint32) []byte { return binary.BigEndian.AppendUint32(nil, ref) }

// kept bounds a unit with rows[i] rows in cell i, and returns the number of kept rows in each cell.
func kept(l Limits, unit int, rows []uint64) []int64 {
	s := sampler{Limits: l, samplerMemory: &samplerMemory{messages: messages{Contents: oneUnit{uint64(unit)}, Order: RowOrder}}, CellWidth: CellBytes}
	var groups []slot
	for cell, n := range rows {
		groups = append(groups, slot{Ref: uint32(cell), Rows: n})
	}
	out := make([]int64, len(rows))
	for _, g := range s.keepWithinLimits(groups) {
		out[g.Ref] = int64(g.Rows)
	}
	return out
}

// chiSquare fails if observed counts differ from expected ones so much that chance does not explain it (falseAlarm).
func chiSquare(t *testing.T, observed map[string]float64, expected map[string]float64) {
	t.Helper()
	sum := 0.0
	for k, o := range observed {
		if expected[k] == 0 {
			t.Fatalf("impossible outcome %s, %g times", k, o)
		}
	}
	for k, e := range expected {
		sum += (observed[k] - e) * (observed[k] - e) / e
	}
	limit := 2 * mathext.GammaIncRegInv(float64(len(expected)-1)/2, 1-falseAlarm)
	if sum > limit {
		t.Errorf("chi-square %.1f > %.1f: %v, expected %v", sum, limit, observed, expected)
	}
}

func choose(n, k int) float64 { return combin.GeneralizedBinomial(float64(n), float64(k)) }

// If three rows of nine are kept, each set of three is equally likely, so the numbers of kept rows by cell have a
// hypergeometric distribution.
func TestKeptRowsAreUniform(t *testing.T) {
	rows := []uint64{6, 2, 1}
	const units, keep = 20000, 3
	observed, expected := map[string]float64{}, map[string]float64{}
	for u := range units {
		observed[fmt.Sprint(kept(Limits{keep, 3, 9}, u, rows))]++
	}
	for a := range keep + 1 {
		for b := range min(keep-a, 2) + 1 {
			if c := keep - a - b; c <= 1 {
				expected[fmt.Sprint([]int64{int64(a), int64(b), int64(c)})] = units * choose(6, a) * choose(2, b) * choose(1,
					c) / choose(9, keep)
			}
		}
	}
	chiSquare(t, observed, expected)
}

// If two cells of five are kept, each pair is equally likely, however many rows the cells have.
func TestKeptCellsAreUniform(t *testing.T) {
	rows := []uint64{1, 50, 1, 3, 9}
	const units = 20000
	observed, expected := map[string]float64{}, map[string]float64{}
	for u := range units {
		out := kept(Limits{1000, 2, 1000}, u, rows)
		key := ""
		for cell, n := range out {
			if n > 0 {
				key += fmt.Sprint(cell)
			}
		}
		observed[key]++
	}
	for _, pair := range combin.Combinations(5, 2) {
		expected[fmt.Sprint(pair[0])+fmt.Sprint(pair[1])] = units / 10
	}
	chiSquare(t, observed, expected)
}

func TestKeptIsWithinTheLimitsAndMaximal(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rows := rapid.SliceOfN(rapid.Uint64Range(1, 40), 1, 12).Draw(rt, "rows")
		l := Limits{rapid.Int64Range(1, 60).Draw(rt, "k"), rapid.Int64Range(1, 12).Draw(rt, "L"),
			rapid.Int64Range(1, 40).Draw(rt, "m")}
		out := kept(l, rapid.IntRange(0, 1000).Draw(rt, "unit"), rows)
		var groups, Total int64
		for cell, n := range out {
			if n > min(l.RowsPerCell, int64(rows[cell])) || n < 0 {
				rt.Fatalf("%d rows in cell %d", n, cell)
			}
			Total += n
			if n > 0 {
				groups++
			}
		}
		if groups > l.Cells || Total > l.Rows || Total == 0 {
			rt.Fatalf("%d rows in %d cells, limits %+v", Total, groups, l)
		}
	})
}
