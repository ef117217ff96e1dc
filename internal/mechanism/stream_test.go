package mechanism_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/mechanism"
)

// streamSigma is the sigma of the tests' streams, in the unit of the counts: S = 2^20.
const streamSigma = 1 << 20

// streamed returns the noisy vector of sparse answers that are too many to be held in memory.
func streamed(tb testing.TB, s mechanism.Sparse) mechanism.Noisy {
	tb.Helper()
	if s.Cells <= 1<<20 {
		tb.Fatal("so few cells are held")
	}
	m := gaussian(streamSigma, 1)
	n, err := mechanism.AddNoise(tb.Context(), hideSparse(tb, 1, s), ledgertest.Receipt(tb, m), m, 3)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

const streamCells = 1<<20 + 1<<18 + 12345

// peaks returns some cells of a stream and their answers, at the boundaries of blocks and stripes and elsewhere.
func peaks(wide bool) (mechanism.Sparse, map[int]float64) {
	s, want := mechanism.Sparse{Cells: streamCells}, map[int]float64{}
	for _, c := range []int{0, 1, 1<<14 - 1, 1 << 14, 1<<18 - 1, 1 << 18, 1<<18 + 1, 3 << 18, 1<<20 + 77,
		streamCells - 1} {
		answer := int64(1+len(s.At)) << 40
		want[c] = float64(answer)
		s.At, s.Answers.High = append(s.At, c), append(s.Answers.High, answer)
	}
	if wide {
		s.Answers.Low = make([]uint64, len(s.At))
		for i, x := range s.Answers.High {
			s.Answers.High[i], s.Answers.Low[i] = 0, uint64(x)
		}
	}
	return s, want
}

// Every cell has noise of its own around its answer: mean 0 and the right variance to within 6.9 standard errors (false
// alarm 1e-11), and each cell within 12 sigma (1e-26).
func TestStream(t *testing.T) {
	for _, wide := range []bool{false, true} {
		s, want := peaks(wide)
		n := streamed(t, s)
		var sum, squares float64
		cells := 0
		for start, block := range n.Blocks() {
			if start != cells {
				t.Fatalf("a block at %d after %d cells", start, cells)
			}
			for i, x := range block {
				d := x - want[start+i]
				if math.Abs(d) > 12*streamSigma || d != math.Trunc(d) {
					t.Fatalf("cell %d is %g off", start+i, d)
				}
				sum += d / streamSigma
				squares += d / streamSigma * d / streamSigma
			}
			cells += len(block)
		}
		if cells != streamCells || n.Len() != cells {
			t.Fatalf("%d cells", cells)
		}
		if z := sum / math.Sqrt(streamCells); math.Abs(z) > 6.9 {
			t.Errorf("the mean is %g standard errors off", z)
		}
		if z := (squares/streamCells - 1) * math.Sqrt(streamCells/2.0); math.Abs(z) > 6.9 {
			t.Errorf("the variance is %g standard errors off", z)
		}
	}
}

// The values are the same for any order and any number of readers.
func TestStreamIsOneVector(t *testing.T) {
	s, _ := peaks(false)
	n := streamed(t, s)
	all := make([]float64, streamCells)
	n.Fill(0, all)
	var group sync.WaitGroup
	for reader := range uint64(3) {
		group.Go(func() {
			r := rand.New(rand.NewPCG(1, reader))
			for range 4 {
				start := r.IntN(streamCells)
				part := make([]float64, 1+r.IntN(300_000))
				n.Fill(start, part)
				part = part[:min(len(part), streamCells-start)]
				if !slices.Equal(part, all[start:start+len(part)]) {
					t.Errorf("the cells from %d on differ when they are read again", start)
				}
			}
		})
	}
	group.Wait()
	beyond := []float64{-9}
	n.Fill(streamCells, beyond)
	n.Fill(-1, beyond)
	if beyond[0] != -9 {
		t.Error("a cell beyond the vector has a value")
	}
}

// Cells do not share random bits: if they are independent, four cells in a row occur again among 20,000 cells with
// probability below 1e-15.
func TestStreamNeverRepeats(t *testing.T) {
	n := streamed(t, mechanism.Sparse{Cells: streamCells})
	seen := map[[4]float64]int{}
	for start, block := range n.Blocks() {
		for i := 0; i+4 <= len(block); i += 64 {
			four := [4]float64(block[i:])
			if at, again := seen[four]; again {
				t.Fatalf("the noise at cell %d comes again at %d", at, start+i)
			}
			seen[four] = start + i
		}
	}
}

// ThenEach keeps a stream a stream, and its steps are applied whenever the stream is read. Then holds the whole vector
// in memory.
func TestStreamSteps(t *testing.T) {
	s, _ := peaks(false)
	n := streamed(t, s)
	positive := func(x []float64) {
		for i := range x {
			x[i] = max(x[i], 0)
		}
	}
	once, err := n.ThenEach("positive", positive)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := once.ThenEach("double", func(x []float64) {
		for i := range x {
			x[i] *= 2
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := twice.Then("same", func(x []float64) ([]float64, error) { return x, nil })
	if err != nil {
		t.Fatal(err)
	}
	want, got := make([]float64, streamCells), make([]float64, streamCells)
	n.Fill(0, want)
	for i := range want {
		want[i] = 2 * max(want[i], 0)
	}
	for what, v := range map[string]mechanism.Noisy{"stream": twice, "whole": whole} {
		v.Fill(0, got)
		if !slices.Equal(got, want) || v.Mechanism() != n.Mechanism() {
			t.Errorf("%s: the steps are not taken", what)
		}
	}
	if !slices.Equal(whole.Steps(), []string{"positive", "double", "same"}) || len(n.Steps()) != 0 ||
		len(once.Steps()) != 1 {
		t.Errorf("steps %v", whole.Steps())
	}
	if _, err := n.ThenEach("", positive); !errors.Is(err, mechanism.ErrStep) {
		t.Errorf("no name: %v", err)
	}
	if _, err := n.ThenEach("none", nil); !errors.Is(err, mechanism.ErrStep) {
		t.Errorf("no step: %v", err)
	}
}

// A refusal before the first draw leaves the value unchanged.
func TestStreamRefuses(t *testing.T) {
	m := gaussian(streamSigma, 1)
	s, want := peaks(false)
	e := hideSparse(t, 1, s)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	r := ledgertest.Receipt(t, m)
	if n, err := mechanism.AddNoise(cancelled, e, r, m, 1); !errors.Is(err, context.Canceled) || n.Len() != 0 {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	n, err := mechanism.AddNoise(t.Context(), e, r, m, 1)
	if err != nil {
		t.Fatal(err)
	}
	first := make([]float64, 1)
	if n.Fill(0, first); math.Abs(first[0]-want[0]) > 12*streamSigma {
		t.Errorf("cell 0 became %g", first[0])
	}
	if _, err := mechanism.AddNoise(t.Context(), e, ledgertest.Receipt(t, m), m, 1); !errors.Is(err, mechanism.ErrSpent) {
		t.Errorf("noised twice: %v", err)
	}
}
