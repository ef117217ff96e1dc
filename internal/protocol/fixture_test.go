package protocol_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/tally"
)

const job = `
version: 1
name: colours
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 2}}
input: {files: [people.csv]}
queries:
  - name: colours
    histogram:
      by: [{column: colour, values: [red, green, blue]}]
    denoise: [{method: nonnegative}]
  - name: all
    count: {}
    weight: 3
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: people, budget: {epsilon: 3, delta: 1e-5}}
`

// rows holds persons and colours.
type rows [][2]string

var people = rows{{"1", "red"}, {"2", "green"}, {"2", "green"}, {"2", "green"}, {"3", "blue"}, {"4", "red"}}

// engine answers from memory.
type engine struct {
	rows rows
	fail error
	look bool // tally the rows
}

func (e *engine) Schema() table.Schema {
	return table.Schema{Fields: []table.Field{
		{Name: "person", Type: table.Type{Kind: table.String}}, {Name: "colour", Type: table.Type{Kind: table.String}},
	}}
}

func (e *engine) Close() error { return nil }

func (e *engine) Digest(context.Context, *pipeline.Plan, pipeline.Observer) ([]byte, error) {
	sum := sha256.Sum256([]byte(fmt.Sprint(e.rows)))
	return sum[:], e.fail
}

func (e *engine) Aggregate(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) (*pipeline.Aggregates, error) {
	out := &pipeline.Aggregates{}
	if e.look {
		filters, err := tally.OfFilters(p.Filters(), e.Schema(), nil)
		if err != nil {
			return nil, err
		}
		out.Checks = &pipeline.DataChecks{Rows: int64(len(e.rows)), Looked: int64(len(e.rows)), Filters: filters}
	}
	for _, q := range p.Queries() {
		exact, err := e.answer(q, out.Checks)
		if err != nil {
			return nil, err
		}
		out.Exacts = append(out.Exacts, exact)
	}
	var err error
	out.Input, err = e.Digest(ctx, p, o)
	return out, err
}

func (e *engine) answer(q pipeline.Planned, checks *pipeline.DataChecks) ([]mechanism.Exact, error) {
	of, err := q.Query.Aggregation(e.Schema())
	if err != nil {
		return nil, err
	}
	all, err := queries.NewAccumulators([]*aggregation.Aggregation{of}, nil)
	if err != nil {
		return nil, err
	}
	b := table.Batch{Rows: len(e.rows)}
	for _, name := range q.Query.Columns() {
		c := table.Column{Type: table.Type{Kind: table.String}, Values: table.Values{Offsets: []uint32{0}}}
		for _, r := range e.rows {
			c.Values.Data = append(c.Values.Data, r[map[string]int{"person": 0, "colour": 1}[name]]...)
			c.Values.Offsets = append(c.Values.Offsets, uint32(len(c.Values.Data)))
		}
		b.Columns = append(b.Columns, c)
	}
	if checks != nil {
		t, err := q.Query.Tally(e.Schema())
		if err != nil {
			return nil, err
		}
		if err := t.Add(&b); err != nil {
			return nil, err
		}
		checks.Queries = append(checks.Queries, pipeline.QueryCheck{Name: q.Query.Name(), Tally: t})
	}
	if err := all[0].Add(&b); err != nil {
		return nil, err
	}
	return queries.HideTotals(q.Query, all[0])
}

// bench is everything that a run needs, with a ledger in memory and folders of the test.
type bench struct {
	*testing.T
	dir    string
	store  ledger.Store
	engine *engine
	open   func() pipeline.Engine // used instead of engine, if it is set
	gone   bool
	opened int // the number of times that an input was opened
	signer pipeline.Signer
	wrap   func(pipeline.Sink) pipeline.Sink
	stages []pipeline.Stage
	shares []int // the reported progress of publishing, in percent
	watch  func(s pipeline.Stage, done int)
}

func newBench(t *testing.T) *bench {
	return &bench{T: t, dir: t.TempDir(), store: ledgertest.Memory(t), engine: &engine{rows: people}}
}

func (b *bench) plan(text string) *pipeline.Plan {
	b.Helper()
	return enginetest.Plan(b, filepath.Join(b.dir, "job.yaml"), []byte(text))
}

// Progress keeps the stages seen, so that a bench is an Observer.
func (b *bench) Progress(s pipeline.Stage, done, total int) {
	b.stages = append(b.stages, s)
	if b.watch != nil {
		b.watch(s, done)
	}
	if s == pipeline.StagePublish {
		b.shares = append(b.shares, 100*done/total)
	}
}

func (b *bench) book() *ledger.Book { return ledger.NewBook(b.store, time.Now) }

// run runs the job with a fresh Book, as a new process would.
func (b *bench) run(ctx context.Context, edit func(*protocol.Request)) (*protocol.Outcome, error) {
	b.Helper()
	req := protocol.Request{Plan: b.plan(job), Dir: filepath.Join(b.dir, "out")}
	if edit != nil {
		edit(&req)
	}
	s := sink.New()
	if b.wrap != nil {
		s = b.wrap(s)
	}
	r := protocol.Runner{
		Book: b.book(), Sink: s, Observer: b, Workers: 2, Signer: b.signer, Program: manifest.Program{Name: "test"},
		Open: func(context.Context) (pipeline.Engine, error) {
			b.opened++
			if b.gone {
				return nil, pipeline.ErrInputGone
			}
			if b.open != nil {
				return b.open(), nil
			}
			return b.engine, nil
		},
	}
	return r.Run(ctx, req)
}

func (b *bench) must(edit func(*protocol.Request)) *protocol.Outcome {
	b.Helper()
	o, err := b.run(b.Context(), edit)
	if err != nil {
		b.Fatal(err)
	}
	return o
}

// spent returns the ledger's entries in short: reserve, seal, publish, cancel.
func (b *bench) spent() string {
	b.Helper()
	entries, err := b.book().Entries(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	var kinds []string
	for _, e := range entries {
		kinds = append(kinds, string(e.Kind))
	}
	return strings.Join(kinds, " ")
}

func (b *bench) expect(o *protocol.Outcome, status protocol.Status, spent string) {
	b.Helper()
	if o.Status != status {
		b.Errorf("status %q, want %q", o.Status, status)
	}
	if got := b.spent(); got != spent {
		b.Errorf("ledger %q, want %q", got, spent)
	}
	digest, err := sink.New().Inspect(b.Context(), o.Dir)
	if err != nil || digest != o.Digest {
		b.Errorf("folder %q, digest of the outcome %q, error %v", digest, o.Digest, err)
	}
	if left, _ := filepath.Glob(filepath.Join(b.dir, ".staging-*")); len(left) > 0 {
		b.Errorf("left behind: %v", left)
	}
}
