package kinds

import (
	"slices"
	"testing"

	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/query"
)

// capTotal lowers the counts of a table of counts so that their sum is at most MaxRows, and never increases the
// difference of two counts. It does not change the counts of a table of rows.
func TestCappedCountsHaveTheTotalOfRows(t *testing.T) {
	q := &Base{Spec: query.Spec{Counts: &quantize.Value{Columns: []string{"views"}}}}
	const cells = 1 << 10
	for _, n := range []int64{0, 5, accumulate.MaxRows / cells, accumulate.MaxRows/cells - 1, accumulate.MaxRows} {
		one, two := slices.Repeat([]int64{n}, cells), slices.Repeat([]int64{n}, cells)
		two[3]++
		q.capTotal(one)
		q.capTotal(two)
		total := int64(0)
		for i := range two {
			total += two[i]
			if changed := two[i] - one[i]; changed < 0 || changed > 1 || changed == 1 && i != 3 {
				t.Errorf("%d: cell %d changed by %d", n, i, changed)
			}
		}
		if total > accumulate.MaxRows {
			t.Errorf("%d in each of %d cells are %d rows", n, cells, total)
		}
	}
	q.Spec.Counts = nil
	rows := []int64{accumulate.MaxRows, accumulate.MaxRows}
	if q.capTotal(rows); rows[0] != accumulate.MaxRows {
		t.Error("rows were capped")
	}
}
