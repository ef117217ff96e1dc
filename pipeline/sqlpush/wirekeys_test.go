//go:build unix

package sqlpush_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

const wireKeysJob = `version: 1
name: wire
privacy: {epsilon: 1, delta: 1e-6, unit: %s}
input: {sql: {driver: postgres, dsn: unused, table: visits}}
queries:
  - {name: zones, histogram: {by: [{column: zone, keys: discover}], min_units: %[2]d}}
  - {name: spent, sum: {column: amount, clamp: [0, 10], by: [{column: zone, keys: discover}]}%[3]s}
  - {name: notes, histogram: {by: [{column: note, keys: discover}], min_units: %[2]d}}
  - {name: spent_by_note, mean: {column: amount, clamp: [0, 10], by: [{column: note, keys: discover}]}%[3]s}
  - {name: times, histogram: {by: [{column: t, keys: discover}, {column: zone, keys: discover}], min_units: %[2]d}}
output: {dir: out, formats: [csv]}
ledger: {store: "sqlite:ledger.db", dataset: wire, budget: {epsilon: 50, delta: 1e-3}}
`

// The server sends no key with fewer units than min_units, and no total of such a key. Each key that it sends is one
// that the local engine finds too, and keys of a single row, such as notes and times, are absent. A key with exactly
// min_units units is sent. Units are counted after bounding.
func TestNoKeyOfFewUnitsCrossesTheWire(t *testing.T) {
	s := newPostgres(t)
	visits := sqlpushtest.Visits{Rows: 300}
	visits.Load(t, s)
	through := sqlpushtest.NewProxy(t, s.DSN)
	for _, c := range []struct {
		unit  string
		least int
		more  string
		zones int // the number of zones that are sent
	}{
		{"row", 100, "", 3}, // each zone has 100 rows
		{"row", 101, "", 0},
		{"[person], per_unit: {max_groups: 3, max_rows_per_group: 1}", 7, "", 3}, // each of the 7 units is in each zone
		{"[person], per_unit: {max_groups: 3, max_rows_per_group: 1}", 8, "", 0},
		{"[person], per_unit: {max_groups: 2, max_rows_per_group: 1}", 2, ", per_unit: {max_rows_per_group: 2}", -1},
		// each of the 7 units is in two of the three zones
		{"[person], per_unit: {max_groups: 2, max_rows_per_group: 1}", 7, ", per_unit: {max_rows_per_group: 2}", 0},
	} {
		name := fmt.Sprint(c.unit, " ", c.least)
		through.CutAfter(0)
		p := sqlpushtest.Plan(t, fmt.Sprintf(wireKeysJob, c.unit, c.least, c.more))
		d, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: "postgres", DSN: through.DSN, Table: "visits"})
		if err != nil {
			t.Fatal(err)
		}
		answers, err := sqlpushtest.Answers(t, sqlpush.New(d, make([]byte, 32)), p)
		if err != nil {
			t.Fatal(name, err)
		}
		sent := through.Sent()
		for _, part := range visits.Found(bytes.Join(sent, nil)) {
			if part != "zone" || c.zones == 0 {
				t.Errorf("%s: the server sent a value of %s", name, part)
			}
		}
		ours, err := sqlpushtest.ReadAll(t, d, p)
		if err != nil {
			t.Fatal(err)
		}
		counts, totals := 0, 0
		for _, connection := range sent {
			rows, errs := messages(t, connection)
			if len(errs) > 0 {
				t.Fatalf("%s: %s", name, errs[0].Message)
			}
			for _, row := range rows {
				switch len(row) {
				case 4: // a key and its units
					counts++
					if n := number(t, row[2]); n < int64(c.least) {
						t.Errorf("%s: a key of %d units was sent", name, n)
					}
				case 5:
					totals++
				}
			}
		}
		if want := len(answers[0].Keys); counts != want || totals != want || want != len(ours[0].Keys) || c.zones >= 0 &&
			want != c.zones || c.zones < 0 && want == 0 {
			t.Errorf("%s: %d keys and %d sums were sent, of %d zones (the local engine has %d)", name, counts, totals, want,
				len(ours[0].Keys))
		}
		through.CutAfter(0)
		if _, err := sqlpushtest.ReadAll(t, d, p); err != nil {
			t.Fatal(err)
		}
		if found := visits.Found(bytes.Join(through.Sent(), nil)); !slices.Contains(found, "note") ||
			!slices.Contains(found, "time") {
			t.Errorf("%s: the proxy does not see keys of one row when rows are read: %v", name, found)
		}
		_ = d.Close()
	}
}

// number reads a BIGINT as a server sends it, as text or in binary form.
func number(t *testing.T, b []byte) int64 {
	t.Helper()
	if len(b) == 8 && b[0] == 0 {
		n := int64(0)
		for _, x := range b {
			n = n<<8 | int64(x)
		}
		return n
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Keys that a database discovers are selected and released, with sums for them. If the job is run again, by the
// database or by the local engine, the input and the release are the same.
func TestKeysOfADatabaseAreReleased(t *testing.T) {
	s := newPostgres(t)
	visits := sqlpushtest.Visits{Rows: 300}
	visits.Load(t, s)
	dir := t.TempDir()
	store, err := sqlstore.Named(t.Context(), "sqlite:"+filepath.Join(dir, "ledger.db"), true)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	p := sqlpushtest.Plan(t, strings.Replace(fmt.Sprintf(wireKeysJob, "row", 50, ""), "epsilon: 1, delta: 1e-6",
		"epsilon: 8, delta: 1e-4", 1))
	read := false
	runner := protocol.Runner{Book: ledger.NewBook(store, time.Now), Sink: sink.New(), Observer: pipeline.Silent{},
		Workers: 1, Open: func(ctx context.Context) (pipeline.Engine, error) {
			d, err := s.Open(ctx, p, "visits")
			if err != nil {
				return nil, err
			}
			if read {
				return sqlpush.NewReader(d, func(rows *source.Dataset) pipeline.Engine {
					return local.NewWithin(rows, local.Limits{Workers: 1, Memory: 1 << 30, Scratch: dir, Separate: true})
				}, make([]byte, 32)), nil
			}
			return sqlpush.New(d, make([]byte, 32)), nil
		}}
	request := protocol.Request{Plan: p, Dir: filepath.Join(dir, "out")}
	first, err := runner.Run(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "out", "spent.csv"))
	// 100 rows each: 25 standard deviations above the threshold
	if zones := strings.Count(string(text), "\n") - 1; err != nil || zones != 3 {
		t.Errorf("%d zones, %v", zones, err)
	}
	for _, read = range []bool{false, true} {
		again, err := runner.Run(t.Context(), request)
		if err != nil || again.Digest != first.Digest || again.Status != protocol.StatusAlready {
			t.Errorf("rows are read %v: %v, %+v, first %+v", read, err, again, first)
		}
	}
}
