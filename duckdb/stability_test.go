package duckdb

import (
	"testing"

	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// The answers of neighbouring tables differ by at most the declared sensitivity.
func TestStability(t *testing.T) {
	r := sqlpushtest.Stability(t, newDuckDB(t), sqlpushtest.Cases(t, 300, 20_000))
	t.Log(r)
	if r.Finding != nil {
		t.Fatal(r.Finding)
	}
	if 4*(r.Pairs-r.Skipped) < r.Pairs {
		t.Errorf("%d of %d pairs were skipped", r.Skipped, r.Pairs)
	}
}

// Many labels and many edges are looked up in other ways than few.
func TestWideDomains(t *testing.T) { sqlpushtest.Wide(t, newDuckDB(t)) }

// Empty texts are no nulls, whatever rows are before them.
func TestTexts(t *testing.T) { sqlpushtest.Texts(t, newDuckDB(t)) }
