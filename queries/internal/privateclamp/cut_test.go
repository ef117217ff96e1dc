package privateclamp

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
)

// searchOf returns a search in a noisy histogram of the values, with the noise that run draws. The clamp is not chosen
// yet.
func (s *table) searchOf(r *rand.Rand) *Search {
	const share = 0.1
	sd := math.Sqrt(SquaredWeight) / (mu1 * math.Sqrt(share))
	out := &Search{RuleVersion: ClampRule, Exponent: 30 - Bits, Most: 1 << Bits, Groups: 1,
		Noise: 1 / (mu1 * math.Sqrt(1-share)), Grid: 0x1p-20, Deviation: sd}
	if s.layout.Signed {
		out.Least = -out.Most
	}
	for _, n := range s.counts {
		out.Cells = append(out.Cells, int64(math.Round((float64(n)+sd*r.NormFloat64())/out.Grid)))
	}
	return out
}

// otherKinds are kinds of tables that were not used when the chances were chosen.
var otherKinds = []example{
	{"Weibull, k = 0.5", false, func(r *rand.Rand) float64 { return 20 * math.Pow(r.ExpFloat64(), 2) }},
	{"Weibull, k = 0.7", false, func(r *rand.Rand) float64 { return 20 * math.Pow(r.ExpFloat64(), 1/0.7) }},
	{"gamma, k = 3", false, func(r *rand.Rand) float64 { return 11 * (r.ExpFloat64() + r.ExpFloat64() + r.ExpFloat64()) }},
	{"log-normal, s = 0.7", false, lognormal(300, 0.7)},
	{"log-normal, s = 1.4", false, lognormal(80, 1.4)},
	{"Student, 3 degrees", true, func(r *rand.Rand) float64 {
		a, b, c := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		return 5 * r.NormFloat64() / math.Sqrt((a*a+b*b+c*c)/3)
	}},
	{"Pareto, a = 1.8", false, pareto(1.8, 4)},
	{"Pareto, a = 3", false, pareto(3, 4)},
	{"Burr", false, func(r *rand.Rand) float64 { return 30 * math.Pow(math.Pow(r.Float64(), -1/1.5)-1, 0.7) }},
	{"triangular", false, func(r *rand.Rand) float64 { return 60 * (r.Float64() + r.Float64()) }},
	{"mode and tail", false, mix(0.7, constant(20), pareto(2, 20))},
	{"capped", false, func(r *rand.Rand) float64 { return min(1000, pareto(1.2, 10)(r)) }},
}

// Cut states one of two chances that the clamp cuts off more than Half. Among the runs for which it states the same
// chance, at most this fraction cut off more, plus two standard errors. The tables are of the 24 kinds from which the
// chances were chosen, with other seeds, and of twelve other kinds. The seeds are fixed, so the test cannot fail by
// chance. There are more than 10,000 runs with DPRELEASE_LONG=1.
func TestChanceOfACutHolds(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("a simulation in one goroutine, which takes minutes with the race detector")
	}
	tables, runs := 1, 10
	if os.Getenv("DPRELEASE_LONG") != "" {
		tables, runs = 3, 140
	}
	checkChances(t, "24 kinds", examples, tables, runs)
	checkChances(t, "other kinds", otherKinds, tables, 2*runs)
}

// checkChances compares the stated chances with the frequency of clamps that cut off more than Half.
func checkChances(t *testing.T, what string, kinds []example, tables, runs int) {
	t.Helper()
	n, cut := map[float64]int{}, map[float64]int{}
	for k, e := range kinds {
		for table := range tables {
			s := prepare(e, uint64(4001+100*table+k))
			r := rand.New(rand.NewPCG(4002, uint64(100*table+k)))
			for range runs {
				search := s.searchOf(r)
				if err := search.Choose(); err != nil {
					t.Fatal(err)
				}
				c, ok := search.Cut()
				if !ok {
					continue
				}
				if n[c.Chance]++; math.Abs(s.bias[BinOf(search.High)])*math.Ldexp(1, search.Exponent) > c.Half {
					cut[c.Chance]++
				}
			}
		}
	}
	for _, p := range []float64{FewChance, SomeChance} {
		is := float64(cut[p]) / float64(n[p])
		t.Logf("%s: stated %.2f: %d of %d, %.3f", what, p, cut[p], n[p], is)
		if !(is <= p+2*math.Sqrt(p*(1-p)/float64(n[p]))) {
			t.Errorf("%s: of %d runs with a stated chance of %.2f, %d cut off more than Half", what, n[p], p, cut[p])
		}
	}
	if len(n) != 2 {
		t.Errorf("%s: %d chances are stated", what, len(n))
	}
}

// If any octave has as many rows as [Search.Noticed] returns, it counts as occupied in at least 96.5 % of 4,000
// histograms. The chance for each histogram is 97.5 %. So the probability that the share is below 96.5 % is below 1e-4.
// The seed is fixed.
func TestNoticedRowsAreBelieved(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 7))
	for _, least := range []int64{0, -1 << Bits} {
		s := &Search{Least: least, Most: 1 << Bits, Deviation: 30}
		l := Layout{Signed: least < 0}
		believed, runs := 0, 4000
		for range runs {
			octave := r.IntN(Octaves)
			counts := make([]int64, l.Cells())
			for range int(s.Noticed()) {
				l.Count(counts, 1+octave*PerOctave+r.IntN(PerOctave), 1)
			}
			h := Histogram{Layout: l, Cells: make([]float64, len(counts)), Deviation: s.Deviation}
			for i, n := range counts {
				h.Cells[i] = float64(n) + h.Deviation*r.NormFloat64()
			}
			if slices.ContainsFunc(h.sides(), func(m *magnitudes) bool { return m.highestRun() >= octave }) {
				believed++
			}
		}
		t.Logf("%.0f rows: believed in %d of %d", s.Noticed(), believed, runs)
		if float64(believed) < 0.965*float64(runs) {
			t.Errorf("%.0f rows are believed in %d of %d histograms", s.Noticed(), believed, runs)
		}
	}
}

// For a centred clamp too, Cut states the small chance if the tail is short, and the large one if it is heavy.
func TestCutOfACentredClamp(t *testing.T) {
	for k, e := range []example{{"few", true, normal(500, 20)}, {"heavy", true, pareto(1.05, 10)}} {
		s := prepare(e, 3)
		search := s.searchOf(rand.New(rand.NewPCG(1, 1)))
		search.Centred = true
		if err := search.Choose(); err != nil {
			t.Fatal(err)
		}
		c, ok := search.Cut()
		if !ok || (c.Chance == SomeChance) != (k == 1) {
			t.Errorf("%s: %+v, %v", e.name, c, ok)
		}
	}
}
