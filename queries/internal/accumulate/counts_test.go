package accumulate

import (
	"slices"
	"testing"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
)

func TestCountsSaturate(t *testing.T) {
	counts := func(rows int64) *Counts {
		return &Counts{Groups: &domain.Grouping{}, Cells: 1, slots: []int64{0, rows}}
	}
	a := counts(MaxRows - 1)
	if err := a.AddRows(&table.Batch{Rows: 5}); err != nil {
		t.Fatal(err)
	}
	if err := a.Merge(counts(MaxRows)); err != nil || a.slots[1] != MaxRows {
		t.Errorf("%v, %v", a.slots, err)
	}
	// A single accumulator may also count beyond the limit: its totals do not.
	c := counts(MaxRows - 1)
	if err := c.AddRows(&table.Batch{Rows: 5}); err != nil {
		t.Fatal(err)
	}
	if got := c.Totals().Tables[0]; !slices.Equal(got, []int64{MaxRows}) {
		t.Errorf("totals %v, want %d", got, int64(MaxRows))
	}
}
