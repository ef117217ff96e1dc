package beam_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// pairs returns the number of pairs of tables that are tried: few by default, many if DPRELEASE_LONG is set;
// DPRELEASE_PAIRS overrides both.
func pairs(t *testing.T) int {
	t.Helper()
	if text := os.Getenv("DPRELEASE_PAIRS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal("DPRELEASE_PAIRS is not a number")
		}
		return n
	}
	if os.Getenv("DPRELEASE_LONG") != "" {
		return 20_000
	}
	return 200
}

// lab returns a lab that compares prism with the local engine.
func lab(t *testing.T) *stabilitytest.Lab {
	t.Helper()
	return &stabilitytest.Lab{
		TB: t, Dir: stabilitytest.Folder(t), Jobs: true,
		Open: func(data *source.Dataset, l stabilitytest.Limits, _ string) pipeline.Engine {
			return onPrism{local.New(data, l.Workers), t, 1 + l.Workers}
		},
		Twin: func(data *source.Dataset, l stabilitytest.Limits, scratch string) pipeline.Engine {
			return local.NewWithin(data, local.Limits{Workers: l.Workers, Memory: 1 << 30, Scratch: scratch})
		},
	}
}

// Every kind of query has the same answers on prism as in the local engine.
func TestEverything(t *testing.T) { stabilitytest.AskEverything(t, lab(t), 1) }

// For random jobs about random tables, in files of all formats and layouts, the answers on prism equal the local
// engine's, and the answers for neighbouring tables differ by at most the declared sensitivity.
func TestStability(t *testing.T) {
	n := pairs(t)
	s := stabilitytest.Search{Seed: stabilitytest.Seed(t), Pairs: n, PairsPerJob: 2, Writers: stabilitytest.Writers(),
		Labs: []*stabilitytest.Lab{lab(t)}, Mask: stabilitytest.WithoutUnits}
	r := s.Run()
	t.Log(r)
	if r.Finding != nil {
		t.Fatal(r.Finding)
	}
	if compared := r.Pairs - r.Skipped; 4*compared < 3*n { // writers cannot write about a fifth of the tables
		t.Errorf("of %d pairs %d were compared", n, compared)
	}
}
