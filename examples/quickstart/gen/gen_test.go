//go:build check

package main

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
)

// TestCommittedTableIsCurrent compares rows, not bytes: a newer Parquet library may write the same rows differently.
func TestCommittedTableIsCurrent(t *testing.T) {
	committed, err := parquet.ReadFile[trip](filepath.Join("..", "trips.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	near := cmp.Options{cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-9)}
	if diff := cmp.Diff(day(), committed, near); diff != "" {
		t.Errorf("trips.parquet is not what the generator makes (-made +committed):\n%.2000s", diff)
	}
}

// TestTheDayHasWhatTheTourShows keeps the properties on which the README relies.
func TestTheDayHasWhatTheTourShows(t *testing.T) {
	perCab := map[int64]int{}
	perBorough := map[string]int{}
	var nulls, failed, busiest int
	trips := day()
	for _, x := range trips {
		perCab[x.CabID]++
		perBorough[x.Borough]++
		busiest = max(busiest, perCab[x.CabID])
		if x.Passengers == nil {
			nulls++
		}
		if math.IsNaN(x.Fare) {
			failed++
		}
	}
	if n := len(trips); n < 3500 || n > 4500 || len(perCab) != cabs || busiest <= 30 {
		t.Errorf("%d trips of %d cabs, the busiest with %d", n, len(perCab), busiest)
	}
	if nulls == 0 || failed == 0 || len(perBorough) != len(boroughs) {
		t.Errorf("%d nulls, %d failed meters, boroughs %v", nulls, failed, perBorough)
	}
}
