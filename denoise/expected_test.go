package denoise

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
)

// judged is a step whose stated error is compared with the real one.
type judged struct {
	method string
	args   Args
}

// everyStep returns each registered method with its default parameters, and with each word and boolean of each
// parameter.
func everyStep() (out []judged) {
	for _, m := range Methods() {
		out = append(out, judged{m.Name, Args{}})
		for _, p := range m.Params {
			values := slices.Clone(p.Words)
			if p.Type == Boolean {
				values = append(values, "true", "false")
			}
			for _, v := range values {
				if v != p.Default {
					out = append(out, judged{m.Name, Args{p.Name: v}})
				}
			}
		}
	}
	return out
}

// bind returns the step for cells of a shape, or nil if they do not suit its method. The total is the true one.
func (j judged) bind(t *testing.T, shape Shape, truth []float64) *Step {
	t.Helper()
	args := maps.Clone(j.args)
	if j.method == "total" {
		sum := 0.0
		for _, x := range truth {
			sum += x
		}
		args["total"] = strconv.FormatFloat(sum, 'f', -1, 64)
	}
	s, err := New(j.method, args)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = s.Bind(shape); err != nil {
		return nil
	}
	return s
}

// The stated interval of the expected error contains the error of the table in at least 93 % of the tables. On average
// over the tables of one truth, the stated error is at least 0.7 of the true one. Both hold for each method, with each
// word and boolean of its parameters.
//
// The tables have nine truths and noise with the standard deviation 20 or 0.4, in 5 to 64 cells of a line or a grid.
// The short form tries 18 tables of 8 cells for each step (9 if the method is slow, 2 for empirical Bayes and auto). It
// allows 6.1 standard errors, so each step, and all steps together, fail by chance with probability 1e-9.
// DPRELEASE_LONG=1 tries 1,440 tables for each step, also with 1,024 cells, or 288 smaller ones if the method is slow.
func TestExpectedErrorOfManyTables(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	enough := func(t *testing.T, held, tables int) {
		t.Helper()
		share, slack := float64(held)/float64(tables), 0.0
		if !long() {
			slack = 6.1 * math.Sqrt(0.07*0.93/float64(tables))
		}
		t.Logf("%.3f of %d tables", share, tables)
		if !(share >= 0.93-slack) {
			t.Errorf("the interval of the expected error holds in %.3f of %d tables", share, tables)
		}
	}
	allHeld, allTables := 0, 0
	for k, step := range everyStep() {
		name := step.method
		for _, p := range slices.Sorted(maps.Keys(step.args)) {
			name += " " + p + " " + step.args[p]
		}
		t.Run(name, func(t *testing.T) {
			held, tables := step.tables(t, rand.New(rand.NewPCG(71, uint64(k))))
			enough(t, held, tables)
			allHeld, allTables = allHeld+held, allTables+tables
		})
	}
	enough(t, allHeld, allTables)
}

// tables draws tables with truths of many forms. It returns the number of tables, and in how many of them the step's
// stated interval contains the error.
func (j judged) tables(t *testing.T, r *rand.Rand) (held, tables int) {
	t.Helper()
	truths := map[string]func(at float64, cell int) float64{
		"zeros":   func(float64, int) float64 { return 0 },
		"flat":    func(float64, int) float64 { return 300 },
		"sine":    func(at float64, _ int) float64 { return math.Round(50 + 40*math.Sin(2*math.Pi*at)) },
		"steps":   func(at float64, _ int) float64 { return 60 * math.Floor(4*at) },
		"spike":   func(_ float64, i int) float64 { return []float64{0, 500}[max(0, 1-max(i-2, 2-i))] },
		"sparse":  func(_ float64, i int) float64 { return []float64{0, 0, 0, 70, 0, 0, 0, 0}[i*5%8] },
		"few":     func(_ float64, i int) float64 { return float64(i % 3) },
		"Zipf":    func(_ float64, i int) float64 { return math.Round(400 / float64(i+1)) },
		"adverse": func(_ float64, i int) float64 { return float64(i*7919%101) * 10 },
	}
	slow := []string{"auto", "empirical-bayes", "tree-ensemble", "tree-wavelet", "trend-filter"}
	isSlow, fitted := slices.Contains(slow, j.method), j.method == "auto" || j.method == "empirical-bayes"
	shapes, draws := []Shape{Line(8)}, 1
	if long() {
		shapes, draws = []Shape{Line(5), Line(8), Line(64), {[]int{8, 8}, []bool{true, true}}}, 20
		if isSlow {
			draws = 4
		} else {
			shapes = append(shapes, Line(1024))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(truths)) {
		for _, s := range []float64{20, 0.4} {
			if !long() && (s < 1 && isSlow || fitted && name != "few" && name != "sparse") {
				continue
			}
			own, stated := 0.0, 0.0
			for _, shape := range shapes {
				truth := problem{y: make([]float64, shape.Cells()), s: s}
				for i := range truth.y {
					truth.y[i] = math.Round(truths[name](float64(i)/float64(shape.Cells()), i) * min(s, 1))
				}
				bound := j.bind(t, shape, truth.y)
				if bound == nil {
					continue
				}
				for range draws {
					y := slices.Clone(truth.y)
					for i := range y {
						y[i] += s * r.NormFloat64()
					}
					risk, err := ExpectedError(t.Context(), y, s, []*Step{bound})
					if err != nil {
						t.Fatal(err)
					}
					loss := s * math.Sqrt(lossOf(t, truth, y, s, []*Step{bound}))
					if tables++; risk.Low <= loss && loss <= risk.High {
						held++
					}
					own, stated = own+loss*loss, stated+risk.RMSE*risk.RMSE
				}
			}
			if ratio := math.Sqrt(stated / own); long() && ratio < 0.7 {
				t.Errorf("noise %g, %s: the stated error is %.2f of the real one", s, name, ratio)
			}
		}
	}
	return held, tables
}
