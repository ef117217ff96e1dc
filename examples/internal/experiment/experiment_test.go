//go:build check

package experiment

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Results do not depend on the number of cores, and an error stops the remaining work.
func TestEach(t *testing.T) {
	draw := func(procs int) []float64 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		s, err := New(t.TempDir(), t.Output())
		if err != nil {
			t.Fatal(err)
		}
		out := make([]float64, 100)
		if err := s.Each(t.Context(), "drawing", len(out), func(_ context.Context, i int) error {
			out[i] = Random("test", i).NormFloat64()
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	one, many := draw(1), draw(8)
	for i := range one {
		if one[i] != many[i] || (i > 0 && one[i] == one[i-1]) {
			t.Fatalf("number %d: %g and %g", i, one[i], many[i])
		}
	}
	s := &Session{stdout: t.Output()}
	wrong := errors.New("wrong")
	if err := s.Each(t.Context(), "failing", 1000, func(context.Context, int) error { return wrong }); !errors.Is(err,
		wrong) {
		t.Errorf("error %v, want %v", err, wrong)
	}
}

func TestMoments(t *testing.T) {
	var m Moments
	for _, x := range []float64{1, 2, 3, 4} {
		m.Add(x)
	}
	if m.Mean != 2.5 || math.Abs(m.StdErr()-math.Sqrt(5./3/4)) > 1e-15 {
		t.Errorf("%+v, standard error %g", m, m.StdErr())
	}
}

func TestTable(t *testing.T) {
	dir := t.TempDir()
	e := Experiment{Dir: "x", Run: func(_ context.Context, s *Session) error {
		table := Table{Columns: []string{"a", "b"}}
		table.Add("t,u", s.Pick(1, 2))
		table.Add(1e-10, 1./3)
		return s.Table("t", table)
	}}
	if err := e.Execute(t.Context(), []string{"--quick", "--out", dir}, t.Output()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "t.csv"))
	if want := "a,b\n\"t,u\",2\n1e-10,0.333333333\n"; err != nil || string(text) != want {
		t.Errorf("%q, %v", text, err)
	}
	if err := e.Execute(t.Context(), nil, t.Output()); err == nil || !strings.Contains(err.Error(), "repository's root") {
		t.Errorf("error %v, want one that says %q", err, "repository's root")
	}
	if err := e.Execute(t.Context(), []string{"--out", dir, "more"}, t.Output()); err == nil ||
		!strings.Contains(err.Error(), "more") {
		t.Errorf("error %v, want one that says %q", err, "more")
	}
}
