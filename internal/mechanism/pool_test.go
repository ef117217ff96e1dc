package mechanism

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"runtime"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
)

func newTestJob(tb testing.TB, sigma float64, workers int, entropy io.Reader) draw {
	tb.Helper()
	j, err := newDraw(calibrate.Mechanism{Sigma: calibrate.Sigma(sigma), Grid: 1}, 0, workers)
	if err != nil {
		tb.Fatal(err)
	}
	j.entropy = entropy
	return j
}

// For any number of workers, each cell gets noise once. A cell is 12 sigma from its answer with probability below
// 1e-30.
func TestEveryCellItsNoise(t *testing.T) {
	for _, size := range []int{1, 2, blockCells - 1, blockCells, blockCells + 1, 5*blockCells + 7} {
		for _, workers := range []int{-1, 0, 1, 2, 7, 100} {
			cells := make([]int64, size)
			for i := range cells {
				cells[i] = int64(i) << 20
			}
			if err := newTestJob(t, 1000, workers, rand.Reader).run(t.Context(),
				&payload{cells: int128.Narrow(cells)}); err != nil {
				t.Fatal(err)
			}
			changed := 0
			for i, y := range cells {
				d := y - int64(i)<<20
				if d < -12_000 || d > 12_000 {
					t.Fatalf("%d cells, %d workers: cell %d is %d off", size, workers, i, d)
				}
				if d != 0 {
					changed++
				}
			}
			if size > 100 && changed < size*9/10 {
				t.Errorf("%d cells, %d workers: %d noised", size, workers, changed)
			}
		}
	}
}

// Workers, blocks and cells do not share random bits: if they are independent, some pair of neighbouring samples occurs
// twice with probability below 1e-20.
func TestWorkersDiffer(t *testing.T) {
	cells := make([]int64, 40*blockCells)
	if err := newTestJob(t, 1<<55, 4, rand.Reader).run(t.Context(), &payload{cells: int128.Narrow(cells)}); err != nil {
		t.Fatal(err)
	}
	seen := map[[2]int64]bool{}
	for i := 1; i < len(cells); i++ {
		pair := [2]int64{cells[i-1], cells[i]}
		if seen[pair] {
			t.Fatalf("%v comes twice", pair)
		}
		seen[pair] = true
	}
}

// short is a source of keys with too few bytes for two workers.
type short struct {
	mu   sync.Mutex
	left io.Reader
}

func (s *short) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return io.ReadFull(s.left, p)
}

// watched is a source of keys that calls a function before it is read.
type watched struct{ before func() }

func (w watched) Read(p []byte) (int, error) {
	w.before()
	return rand.Read(p)
}

// After a failure all cells are 0: neither exact nor noisy values remain.
func TestFailuresWipe(t *testing.T) {
	reason := errors.New("no entropy")
	for what, c := range map[string]struct {
		entropy func(cancel context.CancelFunc) io.Reader
		want    error
	}{
		"no entropy": {func(context.CancelFunc) io.Reader { return iotest.ErrReader(reason) }, reason},
		"entropy dries": {func(context.CancelFunc) io.Reader { return &short{left: io.LimitReader(rand.Reader, 60)} },
			io.ErrUnexpectedEOF},
		"cancelled": {func(cancel context.CancelFunc) io.Reader { return watched{cancel} }, context.Canceled},
		"cancelled late": {func(cancel context.CancelFunc) io.Reader { return watched{countdown(2, cancel)} },
			context.Canceled},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cells := make([]int64, 50*blockCells)
		for i := range cells {
			cells[i] = 42
		}
		if err := newTestJob(t, 10, 2, c.entropy(cancel)).run(ctx, &payload{cells: int128.Narrow(cells)}); !errors.Is(err,
			c.want) {
			t.Errorf("%s: %v", what, err)
		}
		for i, y := range cells {
			if y != 0 {
				t.Fatalf("%s: cell %d is left", what, i)
			}
		}
		cancel()
	}
}

func countdown(n int, f func()) func() {
	left := make(chan struct{}, n-1)
	for range n - 1 {
		left <- struct{}{}
	}
	return func() {
		select {
		case <-left:
		default:
			f()
		}
	}
}

// The exact value keeps no reference to the cells that became noisy.
func TestSpentHoldsNothing(t *testing.T) {
	e, err := Hide(1, []int64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.open().takePayload(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.open().peek(); !errors.Is(err, ErrSpent) || e.open().held != nil {
		t.Errorf("cells are left: %v", err)
	}
}

// In addition to the cells, a worker needs only a buffer of random bits, for any number of cells.
func TestPoolMemory(t *testing.T) {
	const workers, perWorker = 4, 1 << 20
	for _, sigma := range []float64{1, 1 << 40} {
		j, cells := newTestJob(t, sigma, workers, rand.Reader), make([]int64, 100*blockCells)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := j.run(t.Context(), &payload{cells: int128.Narrow(cells)}); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > workers*perWorker {
			t.Errorf("sigma %g: %d bytes for %d cells", sigma, n, len(cells))
		}
	}
}
