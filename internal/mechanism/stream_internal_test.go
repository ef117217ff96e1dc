package mechanism

import (
	"crypto/rand"
	"errors"
	"io"
	"runtime"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
)

func plain(multiples []int64, values []float64) {
	Noisy{mechanism: calibrate.Mechanism{Grid: 1}}.convert(multiples, values)
}

// The values do not depend on the number of workers.
func TestStreamWorkers(t *testing.T) {
	const size = 3*stripeCells + 7
	j := newTestJob(t, 1000, 1, rand.Reader)
	one, err := j.newStream(&payload{at: []int{5}, cells: int128.Narrow([]int64{1 << 50})}, size)
	if err != nil {
		t.Fatal(err)
	}
	one = one.withFinish(plain)
	many := one.withFinish(plain)
	many.noise.workers = 7
	for cell := 0; cell < size; cell += stripeCells {
		if a, b := one.valuesFrom(cell), many.valuesFrom(cell); !slices.Equal(a, b) || len(a) != min(stripeCells, size-cell) {
			t.Errorf("the cells from %d on differ: %d and %d", cell, len(a), len(b))
		}
	}
}

// If no key can be drawn, there is no noise, and the answers are wiped.
func TestStreamEntropyFails(t *testing.T) {
	j := newTestJob(t, 1000, 1, io.LimitReader(rand.Reader, 31))
	p := &payload{at: []int{5}, cells: int128.Narrow([]int64{42})}
	if _, err := j.newStream(p, 1<<30); !errors.Is(err, io.ErrUnexpectedEOF) || p.cells.High[0] != 0 {
		t.Errorf("%v, %d", err, p.cells.High[0])
	}
}

// For any number of cells, a stream holds only a few stripes, and draws only the cells that are read.
func TestStreamMemory(t *testing.T) {
	const size, most = 1 << 30, 64 << 20
	s, err := newTestJob(t, 1000, 2, rand.Reader).newStream(&payload{at: []int{}}, size)
	if err != nil {
		t.Fatal(err)
	}
	s = s.withFinish(plain)
	peak := uint64(0)
	for i := range 8 {
		s.valuesFrom(i * 40 * stripeCells)
		runtime.GC() // frees what other tests left
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		peak = max(peak, m.HeapAlloc)
		if len(s.recent) > keptStripes {
			t.Fatalf("%d stripes are kept", len(s.recent))
		}
	}
	if peak > most {
		t.Errorf("%d bytes in use", peak)
	}
}

// BenchmarkStream draws the cells of a stream in order, in two goroutines.
func BenchmarkStream(b *testing.B) {
	const size = 1 << 26
	s, err := newTestJob(b, 1<<20, 2, rand.Reader).newStream(&payload{at: []int{}}, size)
	if err != nil {
		b.Fatal(err)
	}
	s = s.withFinish(plain)
	for b.Loop() {
		for cell := 0; cell < size; cell += stripeCells {
			s.valuesFrom(cell)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/size, "ns/cell")
}
