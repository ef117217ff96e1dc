package privateclamp

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
)

// Values like capital gains: most are zero, few are spread out, and 244 people have the code 99,999. If their octave
// and their bin together exceed the noise by 5 standard deviations, the clamp includes them; and it is more than twice
// the largest value in less than 2 % of the runs. Noise alone gives a clamp in less than one of 1,000 histograms: a
// missed tail costs ten times the noise of its clamp, and a false alarm costs that noise. The seed is fixed, so the
// test cannot fail by chance.
func TestSpikeThatStandsOutIsFound(t *testing.T) {
	owntest.Slow(t)
	const largest = 99999
	quantum := math.Ldexp(1, 30-Bits)
	r := rand.New(rand.NewPCG(5, 77))
	l := Layout{}
	counts := make([]int64, l.Cells())
	for range 48842 {
		x := 0.0
		switch u := r.IntN(48842); {
		case u < 244:
			x = largest
		case u < 4000:
			x = min(lognormal(6000, .7)(r), 41310)
		}
		l.Count(counts, BinOf(int64(math.RoundToEven(x/quantum))), 1)
	}
	bin := BinOf(int64(largest / quantum))
	for _, deviations := range []float64{4, 5, 5.5, 6, 8, 20} {
		h := Histogram{Layout: l, Cells: make([]float64, len(counts)), Deviation: 244 / deviations * CoarseWeight}
		mu := math.Sqrt(SquaredWeight) / math.Sqrt(.1) / h.Deviation
		missed, seen, lost, above, runs := 0, 0, 0, 0, runsOfTable(1000)
		for range runs {
			for i, n := range counts {
				h.Cells[i] = float64(n) + h.Deviation*r.NormFloat64()
			}
			c := float64(Edge(h.Symmetric(1/(mu*math.Sqrt(.9)), 1))) * quantum
			octave, own := h.Cells[1+(bin-1)/PerOctave], h.Cells[1+Octaves+bin-1]
			if c < largest {
				missed++
			}
			if c > 2*largest {
				above++
			}
			if (CoarseWeight*octave+own)/math.Sqrt(SquaredWeight) >= 5*h.Deviation {
				if seen++; c < largest {
					lost++
				}
			}
		}
		n := float64(runs)
		t.Logf("people of %.1f deviations: missed in %.4f of the runs; %d of %d that stand out are lost; above twice the "+
			"largest value in %.4f", deviations, float64(missed)/n, lost, seen, float64(above)/n)
		if lost > 0 || float64(above) > 0.02*n {
			t.Errorf("people of %.1f deviations: %d of %d that stand out are lost, %d of %d clamps are above twice the "+
				"largest value", deviations, lost, seen, above, runs)
		}
	}
	alarms := 0
	for range 20_000 {
		h := Histogram{Layout: l, Cells: make([]float64, l.Cells()), Deviation: 1}
		for i := range h.Cells {
			h.Cells[i] = r.NormFloat64()
		}
		if h.Symmetric(1, 1) > 0 {
			alarms++
		}
	}
	t.Logf("noise alone: %d false alarms in 20,000", alarms)
	if alarms > 20 {
		t.Errorf("noise alone gives a clamp in %d of 20,000 histograms", alarms)
	}
}

// Random tables get a tail of random size on either side, in a random octave beyond their other values. If the counts
// of the tail's octave and bin together exceed the noise of their side by 5 standard deviations, the clamp holds the
// tail. This is so for sums and means, for one group and for as many as maxKeptGroups. Tables, tails and noise are
// drawn from other seeds than those by which the rule was chosen. The seeds are fixed, so that the test cannot fail by
// chance. DPRELEASE_LONG=1 draws 10,000 tails.
func TestNoTailThatStandsOutIsLost(t *testing.T) {
	owntest.Slow(t)
	tails := 1000
	if os.Getenv("DPRELEASE_LONG") != "" {
		tails = 10_000
	}
	r := rand.New(rand.NewPCG(6007, 6011))
	kinds := append(slices.Clone(examples), example{"empty", true, constant(0)}, example{"equal", true, constant(-70)},
		example{"Pareto below zero", true, func(r *rand.Rand) float64 { return -pareto(1.1, 10)(r) }},
		example{"far from zero", true, normal(1e5, 10)})
	var tables []*table
	for k, e := range kinds {
		tables = append(tables, prepare(e, 6007+uint64(k)))
	}
	seen, lost := 0, 0
	for i := range tails {
		drawn := tables[r.IntN(len(tables))]
		s := drawn.searchOf(r)
		s.Centred, s.Groups = i%2 == 1, []int{1, 12, maxKeptGroups}[i%3]
		sign, from := 1, 1
		if s.layout().Signed && r.IntN(2) == 0 {
			sign, from = -1, 1+Octaves+side
		}
		lowest := 0 // the first octave above the table's octaves
		for j := range Octaves {
			if drawn.counts[from+j] > 0 {
				lowest = j + 1
			}
		}
		if lowest == Octaves {
			continue
		}
		bin := 1 + lowest*PerOctave + r.IntN(side-lowest*PerOctave)
		tail := make([]int64, len(s.Cells))
		s.layout().Count(tail, sign*bin, int64((3+6*r.Float64())*s.Deviation/CoarseWeight))
		for i, n := range tail {
			s.Cells[i] += int64(float64(n) / s.Grid)
		}
		if err := s.Choose(); err != nil {
			t.Fatal(err)
		}
		if s.histogram().side(from).evidenceOfBin((bin-1)/PerOctave, bin-1) < threshold {
			continue
		}
		if low, high := Bounds(sign * bin); low < s.Low || high > s.High {
			lost++
		}
		seen++
	}
	t.Logf("%d of %d tails stand out, %d are lost", seen, tails, lost)
	if seen < tails/3 || lost > 0 {
		t.Errorf("%d of %d tails that stand out are lost", lost, seen)
	}
}
