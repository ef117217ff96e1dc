package mechanism

import (
	cryptorand "crypto/rand"
	"math/rand/v2"
	"testing"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/internal/mechanism/internal/gauss"
)

// benchSamples is the number of samples in one round of a benchmark.
const benchSamples = 10_000_000

func perSample(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchSamples, "ns/sample")
}

// BenchmarkFill draws exactly rounded Gaussian samples at S = 2^40, in one goroutine.
func BenchmarkFill(b *testing.B) {
	scale, err := gauss.NewScale(1<<40, 1)
	if err != nil {
		b.Fatal(err)
	}
	source, err := gauss.NewBits(cryptorand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	sampler, err := gauss.New(scale, 0, source)
	if err != nil {
		b.Fatal(err)
	}
	cells := make([]int64, benchSamples)
	for b.Loop() {
		if err := sampler.Fill(cells); err != nil {
			b.Fatal(err)
		}
	}
	perSample(b)
}

// BenchmarkStdlibNormFloat64 draws inexact samples with the standard library's ziggurat on ChaCha8, for comparison.
func BenchmarkStdlibNormFloat64(b *testing.B) {
	var seed [32]byte
	if _, err := cryptorand.Read(seed[:]); err != nil {
		b.Fatal(err)
	}
	r, cells := rand.New(rand.NewChaCha8(seed)), make([]float64, benchSamples)
	for b.Loop() {
		for i := range cells {
			cells[i] = r.NormFloat64()
		}
	}
	perSample(b)
}

// poolCells is a table of many cells: 216 MB.
const poolCells = 27_000_000

func benchmarkPool(b *testing.B, workers int) {
	j, cells := newTestJob(b, 1<<20, workers, cryptorand.Reader), make([]int64, poolCells)
	for b.Loop() {
		if err := j.run(b.Context(), &payload{cells: int128.Narrow(cells)}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/poolCells, "ns/cell")
}

// BenchmarkPoolOneWorker adds noise to 27 million cells in one goroutine.
func BenchmarkPoolOneWorker(b *testing.B) { benchmarkPool(b, 1) }

// BenchmarkPoolTwoWorkers adds noise to 27 million cells in two goroutines.
func BenchmarkPoolTwoWorkers(b *testing.B) { benchmarkPool(b, 2) }
