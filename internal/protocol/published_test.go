package protocol_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
)

// ways are the states in which a run can find its fingerprint released or its release staged: what an earlier run left,
// and what the next one requests.
var ways = []struct {
	name   string
	before func(*bench)
	ask    func(*bench) func(*protocol.Request)
	status protocol.Status
}{
	{"published", func(b *bench) { b.must(nil) }, nothing, protocol.StatusAlready},
	{"published elsewhere", func(b *bench) { b.must(nil) }, func(b *bench) func(*protocol.Request) {
		return func(r *protocol.Request) { r.Dir = filepath.Join(b.dir, "elsewhere") }
	}, protocol.StatusCopied},
	{"in another rendering", func(b *bench) { b.must(b.presented("first")) },
		func(b *bench) func(*protocol.Request) { return b.presented("second") }, protocol.StatusRerendered},
	{"a rendering that was lost", func(b *bench) {
		b.must(b.presented("first"))
		if err := os.RemoveAll(b.must(b.presented("second")).Dir); err != nil {
			b.Fatal(err)
		}
	}, func(b *bench) func(*protocol.Request) { return b.presented("second") }, protocol.StatusRerendered},
	{"staged and not sealed", func(b *bench) { b.dies("WriteMAC", true) }, nothing, protocol.StatusFinished},
	{"sealed and not published", func(b *bench) { b.dies("Publish", false) }, nothing, protocol.StatusFinished},
	{"published and not recorded", func(b *bench) { b.dies("Publish", true) }, nothing, protocol.StatusFinished},
}

func nothing(*bench) func(*protocol.Request) { return nil }

// dies makes a run die at a call of its sink.
func (b *bench) dies(at string, after bool) {
	b.Helper()
	b.wrap = func(s pipeline.Sink) pipeline.Sink { return &cutSink{Sink: s, at: at, after: after, err: errCut} }
	if _, err := b.run(b.Context(), nil); !errors.Is(err, errCut) {
		b.Fatalf("error %v, want %v", err, errCut)
	}
	b.wrap = nil
}

// inputs are the changes that the input may have had meanwhile.
var inputs = map[string]func(*bench){
	"the same":        func(*bench) {},
	"one row more":    func(b *bench) { b.engine.rows = append(rows{{"9", "red"}}, people...) },
	"gone":            func(b *bench) { b.gone = true },
	"damaged":         func(b *bench) { b.engine.fail = errors.New("damaged") },
	"of other fields": func(b *bench) { b.open = func() pipeline.Engine { return shapeless{b.engine} } },
}

// A published or staged release is returned without its input: whatever happened to the input, the run has the same
// result, output and messages.
func TestReleasedIsAnsweredWithoutInput(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			var outcomes []*protocol.Outcome
			var stages [][]pipeline.Stage
			for name, change := range inputs {
				b := newBench(t)
				way.before(b)
				change(b)
				b.opened, b.stages = 0, nil
				o, err := b.run(t.Context(), way.ask(b))
				if err != nil || o.Status != way.status {
					t.Fatalf("input %s: %+v, error %v; want status %s", name, o, err, way.status)
				}
				if b.opened > 0 {
					t.Errorf("input %s: it was opened", name)
				}
				rel, err := filepath.Rel(b.dir, o.Dir)
				if err != nil {
					t.Fatal(err)
				}
				outcomes = append(outcomes, &protocol.Outcome{Status: o.Status, Dir: rel, Discarded: o.Discarded})
				stages = append(stages, slices.Compact(b.stages))
			}
			for i := range outcomes {
				if !reflect.DeepEqual(outcomes[i], outcomes[0]) || !slices.Equal(stages[i], stages[0]) {
					t.Errorf("%+v with stages %v, and %+v with stages %v", outcomes[i], stages[i], outcomes[0], stages[0])
				}
			}
		})
	}
}

// Only a run that is asked to compare opens the input of a published release, in each of these ways.
func TestCompareInput(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			comparing := func(b *bench) (*protocol.Outcome, error) {
				return b.run(t.Context(), func(r *protocol.Request) {
					if edit := way.ask(b); edit != nil {
						edit(r)
					}
					r.CompareInput = true
				})
			}
			b := newBench(t)
			way.before(b)
			b.opened = 0
			if o, err := comparing(b); err != nil || o.Status != way.status || b.opened != 1 {
				t.Errorf("the same input: %+v, error %v, opened %d times", o, err, b.opened)
			}
			b = newBench(t)
			way.before(b)
			inputs["one row more"](b)
			before := b.spent()
			_, err := comparing(b)
			wantError(t, err, pipeline.CauseInput, "input-changed")
			if way.status != protocol.StatusFinished && b.spent() != before {
				t.Errorf("ledger %q, want %q", b.spent(), before)
			}
			b = newBench(t)
			way.before(b)
			b.gone = true
			_, err = comparing(b)
			wantError(t, err, pipeline.CauseInput, "input-gone")
		})
	}
}

// Without a published release there is nothing to compare: the run reads nothing and spends nothing.
func TestCompareInputBeforeTheRelease(t *testing.T) {
	for _, died := range []string{"", "Stage"} {
		b := newBench(t)
		if died != "" {
			b.dies(died, false)
		}
		b.opened = 0
		before := b.spent()
		_, err := b.run(t.Context(), func(r *protocol.Request) { r.CompareInput = true })
		wantError(t, err, pipeline.CauseJob, "not-released")
		if b.opened > 0 || b.spent() != before {
			t.Errorf("opened %d times, ledger %q, want %q", b.opened, b.spent(), before)
		}
	}
}

// A run that was charged and did not draw its noise reads its input, as a new run does.
func TestChargedReads(t *testing.T) {
	b := newBench(t)
	b.dies("Stage", false)
	b.opened = 0
	b.expect(b.must(nil), protocol.StatusReleased, once)
	if b.opened != 1 {
		t.Errorf("opened %d times", b.opened)
	}
}

// shapeless is an engine whose input has no columns.
type shapeless struct{ *engine }

func (shapeless) Schema() table.Schema { return table.Schema{} }
