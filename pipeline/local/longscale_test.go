package local_test

import (
	"os"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/pipeline/local"
)

// TestManyUnitsInLittleMemory bounds 100 million rows of 20 million units in 1 GiB, and compares with the answer without a limit.
func TestManyUnitsInLittleMemory(t *testing.T) {
	if os.Getenv("DPRELEASE_LONG") == "" {
		t.Skip("100 million rows take minutes: set DPRELEASE_LONG=1")
	}
	s := scaled{rows: 100_000_000, units: 20_000_000, categories: 5000}
	for _, bounds := range []string{"max_rows: 4", "max_groups: 2, max_rows_per_group: 1"} {
		p := s.plan(t, bounds)
		limited := countsWithin(t, p, local.Limits{Workers: 2, Memory: 1 << 30, Scratch: t.TempDir()})
		t.Logf("%s: peak %.0f MB", bounds, peakMB(t))
		if !slices.Equal(limited, countsWithin(t, p, local.Limits{Workers: 3})) {
			t.Errorf("%s: the limit changed the answer", bounds)
		}
	}
}
