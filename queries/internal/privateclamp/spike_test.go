package privateclamp

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// Values like capital gains: most are zero, few are spread out, and 244 people have the code 99,999. If their octave
// and their bin together exceed the noise by 5 standard deviations, the clamp includes them; and it is more than twice
// the largest value in less than 2 % of the runs. Noise alone gives a clamp in less than one of 1,000 histograms: a
// missed tail costs ten times the noise of its clamp, and a false alarm costs that noise. The seed is fixed, so the
// test cannot fail by chance.
func TestSpikeThatStandsOutIsFound(t *testing.T) {
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

// Tails of random size in a random octave above those of random tables: whenever the octave and the bin of a tail
// together exceed the noise by 5 standard deviations, the clamp holds it. Tables, tails and noise are drawn from seeds
// that the rule was not made with: 10,000 tails with DPRELEASE_LONG=1. The seeds are fixed, so that the test cannot
// fail by chance.
func TestNoTailThatStandsOutIsLost(t *testing.T) {
	tails := 600
	if os.Getenv("DPRELEASE_LONG") != "" {
		tails = 10_000
	}
	const share = 0.1
	sd := math.Sqrt(SquaredWeight) / (mu1 * math.Sqrt(share))
	noise := 1 / (mu1 * math.Sqrt(1-share))
	r := rand.New(rand.NewPCG(6007, 6011))
	seen, lost := 0, 0
	var tables []*sorted
	for k, e := range examples {
		tables = append(tables, prepare(e, 6007+uint64(k)))
	}
	for range tails {
		table := tables[r.IntN(len(tables))]
		h := Histogram{Layout: table.layout, Cells: make([]float64, len(table.counts)), Deviation: sd}
		counts := append([]int64{}, table.counts...)
		highest := 0
		for bin := 1; bin <= side; bin++ {
			if counts[Octaves+bin] > 0 || h.Signed && counts[1+Octaves+side+Octaves+bin-1] > 0 {
				highest = bin
			}
		}
		octave := (max(highest, 1)-1)/PerOctave + 1
		if octave == Octaves {
			continue
		}
		bin := octave*PerOctave + 1 + r.IntN(side-octave*PerOctave)
		h.Count(counts, bin, int64((3+6*r.Float64())*sd/CoarseWeight))
		for i, n := range counts {
			h.Cells[i] = float64(n) + sd*r.NormFloat64()
		}
		m := h.side(1)
		if h.Signed {
			m = h.folded()
		}
		own := (m.coarse[(bin-1)/PerOctave]/(m.sdCoarse*m.sdCoarse) + m.fine[bin-1]/(m.sdFine*m.sdFine)) /
			math.Sqrt(1/(m.sdCoarse*m.sdCoarse)+1/(m.sdFine*m.sdFine))
		if own < threshold {
			continue
		}
		if seen++; h.Symmetric(noise, 1) < bin-1 {
			lost++
		}
	}
	t.Logf("%d of %d tails stand out, %d are lost", seen, tails, lost)
	if seen < tails/3 || lost > 0 {
		t.Errorf("%d of %d tails that stand out are lost", lost, seen)
	}
}
