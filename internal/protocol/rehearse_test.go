package protocol_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/report"
)

// sweep has the kinds of query that are possible with a delta of 0; gaussianOnly has the others.
const sweep = `
version: 1
name: sweep
privacy: {epsilon: %s, delta: %s, unit: [person], adjacency: %s, per_unit: {max_rows: 2}}
input: {files: [people.csv]}
queries:
  - {name: colours, histogram: {by: [{column: colour, values: [red, green, blue]}]}}
  - {name: all, count: {}}
  - {name: total, sum: {column: x, clamp: [0, 10]}}
%s
output: {dir: out, formats: [parquet, csv, arrow, json]}
ledger: {store: "sqlite:ledger.db", dataset: people, budget: {epsilon: 1e6, delta: 0.9}}
`

const gaussianOnly = `
  - {name: mean, mean: {column: x, clamp: [0, 10], by: [{column: colour, values: [red, green]}]}}
  - {name: variance, variance: {column: x, clamp: [-3, 4]}}
  - {name: tables, crosstabs: {by: [{column: colour, values: [red, green]}, {column: size, edges: [0, 1, 2]}], ways: [1, 2], nonnegative: true}}
  - {name: sizes, histogram: {by: [{column: size, edges: [0, 1, 2, 3]}], quantiles: [0.5], cdf: true}, denoise: [{method: nonnegative}]}
  - {name: below, histogram: {by: [{column: size, edges: [0, 1, 2, 3]}], optimize: cdf}}
  - {name: shared, histogram: {by: [{column: size, edges: [0, 1, 2, 3]}], noise: auto}}
  - {name: clamped, sum: {column: x, clamp: discover, range: [0, 1000000]}}
  - {name: bounded, count: {}, per_unit: {max_rows: discover, max_rows_up_to: 100}}
`

// rehearse makes the release of a plan with all its documents, without data.
func rehearse(t *testing.T, p *pipeline.Plan) error {
	t.Helper()
	r, err := p.Rehearse(t.Context(), manifest.Program{Name: "test"}, 1)
	if err != nil {
		return err
	}
	return sink.New(report.Presenter{}).Rehearse(t.Context(), r)
}

// A job that can be planned can be published: tables in each format, page, pictures' data, catalogues and manifest,
// from the least epsilon to the largest, with a delta of 0 and tiny ones. The short form replaces rows only at epsilon
// 0.1 and 1e6.
func TestWhateverIsPlannedCanBePublished(t *testing.T) {
	owntest.Slow(t)
	long := os.Getenv("DPRELEASE_LONG") != ""
	planned, least := 0, 25
	if long {
		least = 40
	}
	for _, epsilon := range []string{"1e-6", "0.1", "10", "369", "400", "700", "1000", "1e6"} {
		for _, delta := range []string{"0", "1e-300", "1e-12", "0.5"} {
			for _, adjacency := range []string{"add-remove", "replace-one"} {
				if !long && adjacency == "replace-one" && epsilon != "0.1" && epsilon != "1e6" {
					continue
				}
				extra := gaussianOnly
				if delta == "0" {
					extra = ""
				}
				job, diags := configs.Parse(filepath.Join(t.TempDir(), "job.yaml"),
					fmt.Appendf(nil, sweep, epsilon, delta, adjacency, extra), configs.ParseOptions{CheckStep: pipeline.CheckStep})
				if len(diags) > 0 {
					continue // refused, at no cost
				}
				plan, diags := pipeline.New(job, nil)
				if len(diags) > 0 {
					continue
				}
				planned++
				if err := rehearse(t, plan); err != nil {
					t.Errorf("epsilon %s, delta %s, %s: %v", epsilon, delta, adjacency, err)
				}
			}
		}
	}
	if planned < least {
		t.Errorf("%d jobs were planned, not %d", planned, least)
	}
}

// stubborn is a sink that fails, or panics, when it makes the files of a release.
type stubborn struct {
	pipeline.Sink
	fail func() error
}

func (s stubborn) Rehearse(context.Context, *pipeline.Release) error { return s.fail() }

// A release that cannot be published costs nothing: no charge, no noise, no folder, and the input is not read. A panic
// is reported as a bug; its text, which may quote anything, is in no message.
func TestUnpublishableCostsNothing(t *testing.T) {
	for name, c := range map[string]struct {
		fail  func() error
		cause pipeline.Cause
	}{
		"error": {func() error { return errors.New("no room") }, pipeline.CauseOutput},
		"panic": {func() error { panic("secret") }, pipeline.CauseInside},
	} {
		b := newBench(t)
		b.wrap = func(s pipeline.Sink) pipeline.Sink { return stubborn{s, c.fail} }
		b.open = func() pipeline.Engine { return deaf{b.engine} }
		_, err := b.run(t.Context(), nil)
		var e *pipeline.Error
		if !errors.As(err, &e) || e.Cause != c.cause || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
		if got := b.spent(); got != "" {
			t.Errorf("%s: ledger %q", name, got)
		}
		b.clean(name)
		b.wrap, b.open = nil, nil
		b.expect(b.must(nil), protocol.StatusReleased, once)
	}
}

// A run that was charged before is resumed without a rehearsal: its cost is spent already.
func TestChargedIsNotRehearsed(t *testing.T) {
	b := newBench(t)
	b.dies("Stage", false)
	b.wrap = func(s pipeline.Sink) pipeline.Sink { return stubborn{s, func() error { return errCut }} }
	b.expect(b.must(nil), protocol.StatusReleased, once)
}

// Discovered keys, and sums by them, are rehearsed with synthetic keys, also together with listed cells. If there are
// very many cells, only the first ones are rehearsed.
func TestRehearseKeysAndLongVectors(t *testing.T) {
	const byKeys = `
version: 1
name: keys
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_groups: 2, max_rows_per_group: 1}}
input: {files: [people.csv]}
queries:
  - {name: found, histogram: {by: [{column: size, edges: [0, 1, 2], other: bin}, {column: colour, keys: discover}, {column: place, keys: discover}]}}
  - {name: sums, sum: {column: x, clamp: [0, 10], by: [{column: size, edges: [0, 1, 2], other: bin}, {column: colour, keys: discover}, {column: place, keys: discover}]}}
output: {dir: out, formats: [parquet, csv, arrow, json]}
ledger: {store: "sqlite:ledger.db", dataset: people, budget: {epsilon: 3, delta: 1e-5}}
`
	b := newBench(t)
	for _, text := range []string{byKeys, strings.ReplaceAll(mapJob, "SIDE", "30000")} {
		p := b.plan(text)
		r, err := p.Rehearse(t.Context(), manifest.Program{}, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range r.Results() {
			if n := x.Answer.Cells; n < 2 || n > 1<<10 {
				t.Errorf("%s: %d cells", x.Name, n)
			}
		}
		if err := sink.New(report.Presenter{}).Rehearse(t.Context(), r); err != nil {
			t.Error(err)
		}
	}
}

// All statements about a table with more cells than a rehearsal makes stay true: every kind of query that can be
// planned passes.
func TestRehearseTablesOfAnyLength(t *testing.T) {
	owntest.Slow(t)
	const long = `
version: 1
name: long
privacy: {epsilon: 2, delta: 1e-6, unit: [person], adjacency: %[2]s, per_unit: {max_rows: 5, max_groups: 3, max_rows_per_group: 2}}
input: {files: [people.csv]}
queries:
  - {name: plain, histogram: {by: [{column: x, from: 0, to: %[1]d, width: 1}], quantiles: [0.5], cdf: true}}
  - {name: steps, histogram: {by: [{column: x, from: 0, to: %[1]d, width: 1}]}, denoise: [{method: nonnegative}]}
  - {name: below, histogram: {by: [{column: x, from: 0, to: %[1]d, width: 1}], optimize: cdf}}
  - {name: common, histogram: {by: [{column: x, from: 0, to: %[1]d, width: 1}], noise: auto}, per_unit: {max_rows: 5000, max_groups: 5000, max_rows_per_group: 1}}
  - {name: total, sum: {column: y, clamp: [0, 10], by: [{column: x, from: 0, to: %[1]d, width: 1}]}}
  - {name: mean, mean: {column: y, clamp: [0, 10], by: [{column: x, from: 0, to: %[1]d, width: 1}]}}
  - {name: variance, variance: {column: y, clamp: [0, 10], by: [{column: x, from: 0, to: %[1]d, width: 1}]}}
  - {name: clamped, sum: {column: y, clamp: discover, range: [0, 1000000], by: [{column: x, from: 0, to: %[1]d, width: 1}]}}
  - {name: clamped-mean, mean: {column: y, clamp: discover, range: [0, 1000000], by: [{column: x, from: 0, to: %[1]d, width: 1}]}}
  - {name: bounded, histogram: {by: [{column: x, from: 0, to: %[1]d, width: 1}]}, per_unit: {max_rows: discover, max_rows_up_to: 100}}
  - {name: tables, crosstabs: {by: [{column: x, from: 0, to: %[1]d, width: 1}, {column: size, edges: [0, 1, 2]}], ways: [1, 2], nonnegative: true}}
output: {dir: out, formats: [parquet, csv, arrow, json]}
ledger: {store: "sqlite:ledger.db", dataset: people, budget: {epsilon: 10, delta: 1e-5}}
`
	for _, cells := range []int{1, 1024, 1025, 5000} {
		for _, adjacency := range []string{"add-remove", "replace-one"} {
			job, diags := configs.Parse(filepath.Join(t.TempDir(), "job.yaml"), fmt.Appendf(nil, long, cells, adjacency),
				configs.ParseOptions{CheckStep: pipeline.CheckStep})
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			plan, diags := pipeline.New(job, nil)
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			if err := rehearse(t, plan); err != nil {
				t.Errorf("%d cells, %s: %v", cells, adjacency, err)
			}
		}
	}
}

// Nothing of a rehearsal can be published: neither its release, nor its vectors as answers.
func TestRehearsalsAreNotPublished(t *testing.T) {
	plan := newBench(t).plan(fmt.Sprintf(sweep, "1", "1e-6", "add-remove", ""))
	r, err := plan.Rehearse(t.Context(), manifest.Program{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	s, staging := sink.New(), filepath.Join(t.TempDir(), "staging")
	if err := s.Prepare(staging); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Stage(t.Context(), staging, "note", r); err == nil || !strings.Contains(err.Error(), "a rehearsal") {
		t.Errorf("a rehearsal is staged: %v", err)
	}
	var noisy [][]mechanism.Noisy
	for _, q := range plan.Queries() {
		n, err := mechanism.Synthetic(t.Context(), q.Mechanisms[0], 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		noisy = append(noisy, []mechanism.Noisy{n})
	}
	if _, err := plan.NewRun().Release(t.Context(), noisy, manifest.Program{}, 1, pipeline.Silent{}); err == nil ||
		!strings.Contains(err.Error(), "answers nothing") {
		t.Errorf("vectors of a rehearsal are answers: %v", err)
	}
}
