//go:build unix

package local_test

import (
	"os"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/pipeline/local"
)

// TestManyUnitsInLittleMemory bounds 100 million rows of 20 million units within 1 GiB, and compares the answers with
// those without a limit. The peak memory of the process must stay below 1.2 GiB.
func TestManyUnitsInLittleMemory(t *testing.T) {
	if os.Getenv("DPRELEASE_LONG") == "" {
		t.Skip("100 million rows take minutes: set DPRELEASE_LONG=1")
	}
	const limit = 1 << 30
	s := scaled{rows: 100_000_000, units: 20_000_000, categories: 5000}
	bounds := []string{"max_rows: 4", "max_groups: 2, max_rows_per_group: 1"}
	path := s.path(t)
	before := debug.SetMemoryLimit(limit)
	defer debug.SetMemoryLimit(before)
	var limited [][]int64
	for _, b := range bounds {
		limited = append(limited, countsWithin(t, s.plan(t, path, b),
			local.Limits{Workers: 2, Memory: limit, Scratch: t.TempDir()}))
		peak := peakMB(t)
		if t.Logf("%s: peak %.0f MB", b, peak); peak > 1.2*limit/1e6 {
			t.Errorf("%s: the process took %.0f MB", b, peak)
		}
	}
	debug.SetMemoryLimit(before)
	for i, b := range bounds {
		if !slices.Equal(limited[i], countsWithin(t, s.plan(t, path, b), local.Limits{Workers: 3, Memory: 1 << 40})) {
			t.Errorf("%s: the limit changed the answer", b)
		}
	}
}
