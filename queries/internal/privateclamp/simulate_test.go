package privateclamp

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
)

type example struct {
	name   string
	signed bool
	draw   func(r *rand.Rand) float64
}

func lognormal(m, s float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return m * math.Exp(s*r.NormFloat64()) }
}

func pareto(a, m float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return m * math.Pow(1-r.Float64(), -1/a) }
}

func mix(p float64, a, b func(*rand.Rand) float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		if r.Float64() < p {
			return a(r)
		}
		return b(r)
	}
}

func constant(x float64) func(*rand.Rand) float64 { return func(*rand.Rand) float64 { return x } }

func normal(m, s float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return m + s*r.NormFloat64() }
}

func uniform(a, b float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return a + (b-a)*r.Float64() }
}

func zipf(s float64) func(*rand.Rand) float64 {
	z := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), s, 1, 1e8)
	return func(*rand.Rand) float64 { return float64(z.Uint64() + 1) }
}

var examples = []example{
	{"log-normal, s = 1", false, lognormal(50, 1)},
	{"log-normal, s = 2", false, lognormal(1000, 2)},
	{"Pareto, a = 1.5", false, pareto(1.5, 10)},
	{"Pareto, a = 2.5", false, pareto(2.5, 3)},
	{"Zipf, s = 2", false, zipf(2)},
	{"uniform", false, uniform(0, 100)},
	{"constant", false, constant(70)},
	{"two modes", false, mix(0.9, normal(10, 1), normal(5000, 300))},
	{"mostly zero", false, mix(0.95, constant(0), lognormal(200, 1))},
	{"dates as numbers", false, uniform(20240101, 20241231)},
	{"negative and positive", true, normal(-30, 100)},
	{"exponential", false, func(r *rand.Rand) float64 { return 7 * r.ExpFloat64() }},
	// beyond the twelve
	{"Pareto, a = 1.1", false, pareto(1.1, 10)},
	{"mostly zero 99%", false, mix(0.99, constant(0), lognormal(200, 1))},
	{"mostly zero 99%, constant", false, mix(0.99, constant(0), constant(37))},
	{"half normal", false, func(r *rand.Rand) float64 { return math.Abs(r.NormFloat64()) * 13 }},
	{"three modes", false, mix(0.5, normal(3, .1), mix(0.97, uniform(100, 120), constant(1e5)))},
	{"Laplace", true, func(r *rand.Rand) float64 { return 9 * (r.ExpFloat64() - r.ExpFloat64()) }},
	{"minus log-normal", true, func(r *rand.Rand) float64 { return -lognormal(50, 1)(r) }},
	{"Zipf 1.3", false, zipf(1.3)},
	{"small", false, uniform(0, 1)},
	{"huge", false, lognormal(3e7, 0.5)},
	{"ages", false, func(r *rand.Rand) float64 { return math.Floor(uniform(18, 90)(r)) }},
	{"hours", false, mix(0.5, constant(40), func(r *rand.Rand) float64 { return math.Round(min(max(normal(38, 12)(r), 1), 99)) })},
}

const rowsOfExample = 20000

type sorted struct {
	x      []float64 // magnitudes in quanta, descending
	signs  []float64
	bias   []float64 // by edge
	best   float64
	counts []int64
	layout Layout
}

// mu1 is epsilon 1 with delta 1e-6.
const mu1 = 1 / 4.2247

func prepare(e example, seed uint64) *sorted {
	r := rand.New(rand.NewPCG(seed, 77))
	s := &sorted{layout: Layout{e.signed}}
	s.counts = make([]int64, s.layout.Cells())
	quantum := math.Ldexp(1, 30-Bits)
	var xs []float64
	for range rowsOfExample {
		x := min(max(e.draw(r), -1e9), 1e9)
		if !e.signed {
			x = max(x, 0)
		}
		q := math.RoundToEven(x / quantum)
		xs = append(xs, q)
		s.layout.Count(s.counts, BinOf(int64(q)), 1)
	}
	slices.SortFunc(xs, func(a, b float64) int { return int(math.Copysign(1, math.Abs(b)-math.Abs(a))) })
	at := func(c float64) float64 {
		b := 0.0
		for _, x := range xs {
			if math.Abs(x) <= c {
				break
			}
			b += math.Copysign(math.Abs(x)-c, x)
		}
		return b
	}
	s.best = math.Inf(1)
	for c := 1.0; c <= 1<<50; c *= 1.01 {
		s.best = min(s.best, math.Hypot(at(c), c/mu1))
	}
	for i := range Edges {
		s.bias = append(s.bias, at(float64(Edge(i))))
	}
	return s
}

func (s *sorted) run(r *rand.Rand) (ratio float64, edge int) {
	const share = 0.1
	sd := math.Sqrt(SquaredWeight) / (mu1 * math.Sqrt(share))
	h := Histogram{Layout: s.layout, Cells: make([]float64, len(s.counts)), Deviation: sd}
	for i, n := range s.counts {
		h.Cells[i] = float64(n) + sd*r.NormFloat64()
	}
	noise := 1 / (mu1 * math.Sqrt(1-share))
	edge = h.Symmetric(noise, 1)
	return math.Hypot(s.bias[edge], noise*float64(Edge(edge))) / s.best, edge
}

func TestSimulate(t *testing.T) {
	runs := 200
	if n, err := strconv.Atoi(os.Getenv("RUNS")); err == nil {
		runs = n
	}
	var all []float64
	for k, e := range examples {
		s := prepare(e, uint64(k))
		r := rand.New(rand.NewPCG(9, uint64(k)))
		sum, worst := 0.0, 0.0
		edges := map[int]int{}
		for range runs {
			ratio, edge := s.run(r)
			sum += ratio * ratio
			worst = max(worst, ratio)
			edges[edge]++
		}
		rmse := math.Sqrt(sum / float64(runs))
		if k < 12 {
			all = append(all, rmse)
		}
		if os.Getenv("EDGES") != "" {
			for _, edge := range slices.Sorted(maps.Keys(edges)) {
				noise := 1 / (mu1 * math.Sqrt(0.9))
				fmt.Printf("      %4d %10.4g ×%d: %.2f\n", edge, math.Ldexp(float64(Edge(edge)), 30-Bits), edges[edge], math.Hypot(s.bias[edge], noise*float64(Edge(edge)))/s.best)
			}
		}
		fmt.Printf("%-28s rmse %.3f worst %.2f\n", e.name, rmse, worst)
	}
	slices.Sort(all)
	fmt.Printf("median %.3f worst %.3f\n", (all[5]+all[6])/2, all[11])
}
