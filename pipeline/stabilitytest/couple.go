package stabilitytest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/cryptotest"
	"time"

	"github.com/dprelease/dprelease/ledger"
	"github.com/dprelease/dprelease/ledger/ledgertest"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/pipeline/protocol"
)

// What a run shows to others may differ between neighbours only in numbers that noise hides. The two runs of a coupled
// pair draw the same noise: random bits come from a seed, through the standard library's interface for tests
// (testing/cryptotest). So anything else that differs comes from the rows alone.

// Shown is what a run on one table shows, as lines that must be equal for both tables.
type Shown struct{ lines []string }

// Addf adds a line.
func (s *Shown) Addf(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

// Difference returns the first line in which two runs differ; empty if there is none.
func (s *Shown) Difference(o *Shown) string {
	for i := range max(len(s.lines), len(o.lines)) {
		a, b := "nothing", "nothing"
		if i < len(s.lines) {
			a = s.lines[i]
		}
		if i < len(o.lines) {
			b = o.lines[i]
		}
		if a != b {
			return fmt.Sprintf("one run shows\n  %s\nand the other\n  %s", a, b)
		}
	}
	return ""
}

// Couple runs the job on both tables, each with an empty ledger and an empty folder, and with the same noise. newSink
// makes the sink. It cannot be called in parallel tests.
func (c *Case) Couple(t *testing.T, l *Lab, newSink func() pipeline.Sink) (found *Finding, skipped bool) {
	t.Helper()
	if err := c.Job.prepare(l); err != nil {
		return &Finding{What: "the job has no plan: " + err.Error(), Case: c, NoPlan: true}, false
	}
	var shown [2]*Shown
	for i := range 2 {
		var err error
		if shown[i], err = c.run(t, l, i, newSink()); errors.As(err, &unwritten{}) {
			return nil, true
		}
	}
	if what := shown[0].Difference(shown[1]); what != "" {
		return &Finding{What: "the runs differ: " + what, Case: c}, false
	}
	return nil, false
}

// coupled is an engine after whose answers the same random bits follow, whatever it drew itself.
type coupled struct {
	pipeline.Engine
	t *testing.T
}

// UseScratch passes the folder on.
func (e coupled) UseScratch(dir string) {
	if s, ok := e.Engine.(pipeline.Scratcher); ok {
		s.UseScratch(dir)
	}
}

// Aggregate answers, and then sets the random bits that follow.
func (e coupled) Aggregate(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) (*pipeline.Aggregates, error) {
	a, err := e.Engine.Aggregate(ctx, p, o)
	cryptotest.SetGlobalRandom(e.t, noiseSeed)
	return a, err
}

const noiseSeed = 20

// run releases the answers about one table, twice; the second time nothing may be left to do. It returns what both runs
// show.
func (c *Case) run(t *testing.T, l *Lab, i int, s pipeline.Sink) (*Shown, error) {
	t.Helper()
	home := filepath.Join(l.Dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(home) }() // Folder deletes what is left
	if err := c.Put(l.Dir, i); err != nil {
		return nil, err
	}
	cryptotest.SetGlobalRandom(t, noiseSeed)
	store := ledgertest.Memory(t)
	shown := &Shown{}
	for range 2 {
		seen := &stages{}
		book := ledger.NewBook(store, func() time.Time { return time.Unix(1357000000, 0) })
		r := protocol.Runner{Book: book, Sink: s, Observer: seen, Workers: 2, Program: manifest.Program{Name: "fuzz"}, Open: func(context.Context) (pipeline.Engine, error) {
			data, err := c.openFiles(l)
			if err != nil {
				return nil, err
			}
			return coupled{l.Open(data, c.Limits, l.Dir), t}, nil
		}}
		o, err := r.Run(t.Context(), protocol.Request{Plan: c.Job.plan, Dir: filepath.Join(home, "out")})
		if fits(err) {
			return nil, unwritten{err}
		}
		shown.outcome(o, err)
		seen.show(shown)
		if err := shown.Ledger(t.Context(), book); err != nil {
			t.Fatal(err)
		}
		if err := shown.Folder(home); err != nil {
			t.Fatal(err)
		}
	}
	return shown, nil
}

// fits reports whether an error is the writer's, or means that the file has other types than the job needs.
func fits(err error) bool {
	var failed *pipeline.Error
	return errors.As(err, &unwritten{}) || errors.As(err, &failed) && failed.Code == "schema"
}

// outcome shows how a run ended.
func (s *Shown) outcome(o *protocol.Outcome, err error) {
	s.Addf("error %v", err)
	var failed *pipeline.Error
	if errors.As(err, &failed) {
		s.Addf("cause %v, code %s, message %s, hint %s", failed.Cause, failed.Code, failed.Message, failed.Hint)
	}
	if o != nil {
		s.Addf("status %s, folder %s, moved %q, gone %v", o.Status, o.Dir, o.Moved, o.InputGone)
	}
}

// Ledger shows the ledger's entries without their times, and without what binds them to the input and to the release.
func (s *Shown) Ledger(ctx context.Context, book *ledger.Book) error {
	all, err := book.Entries(ctx)
	for _, e := range all {
		body, masked := Masked(e.Body, "input", "release")
		if masked != nil {
			return masked
		}
		s.Addf("entry %d %s %s", e.Seq, e.Kind, body)
	}
	return err
}

// Folder shows the names and modes of all files below a folder, and its manifest without what noise hides and without
// some more keys.
func (s *Shown) Folder(dir string, without ...string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		s.Addf("file %s %s", info.Mode(), name)
		if d.Name() != "release.json" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text, err = Manifest(text, without...)
		s.Addf("manifest %s", text)
		return err
	})
}

// stages is an observer that records what it is told. It leaves out how many splits the input has, which depends on its
// files.
type stages struct {
	mu   sync.Mutex
	told []string
}

// Progress records a step.
func (o *stages) Progress(s pipeline.Stage, done, total int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := fmt.Sprintf("%s %d of %d", s, done, total)
	if s == pipeline.StageAggregate || s == pipeline.StageCompare {
		text = string(s)
	}
	if !slices.Contains(o.told, text) { // workers and blocks may report a step in any order
		o.told = append(o.told, text)
	}
}

func (o *stages) show(s *Shown) {
	slices.Sort(o.told)
	s.Addf("progress %s", strings.Join(o.told, ", "))
}
