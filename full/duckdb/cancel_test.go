package duckdb

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// If a run is cancelled, its statement ends and its spill folder is removed.
func TestCancelled(t *testing.T) {
	d, err := sqlpush.Open(t.Context(), sqlpush.Source{
		Driver: "duckdb", DSN: "?threads=1", Query: "SELECT '" + canary +
			"' AS person, CAST(sqrt(a.i * b.i) AS DOUBLE) AS x FROM range(10000000) AS a(i), range(10000000) AS b(i)",
	})
	if err != nil {
		t.Fatal(err)
	}
	e := sqlpush.New(d, nil)
	e.UseScratch(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	// if cancelling fails, this call does not return
	if _, err := e.Aggregate(ctx, sqlpushtest.Plan(t, spillJob), pipeline.Silent{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
