package protocol_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/csvtest"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/internal/protocol"
)

// Over many releases of a table with known answers, the noise that is published has mean 0 and the published standard
// deviation. 200 runs of 500 cells; each of the two z-tests has a false-alarm rate of 3e-10 (|z| > 6.3).
func TestPublishedNoise(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("draws 20,000 noisy counts through whole runs")
	}
	b := newBench(t)
	const cells = 500
	runs := 40
	if os.Getenv("DPRELEASE_LONG") != "" {
		runs = 200
	}
	var labels []string
	for i := range cells {
		labels = append(labels, fmt.Sprintf("c%d", i))
	}
	text := strings.NewReplacer("values: [red, green, blue]", "values: ["+strings.Join(labels, ", ")+"]",
		"{epsilon: 3, delta: 1e-5}", "{epsilon: 100000, delta: 1e-5}", "{dir: out}",
		"{dir: out, formats: [csv]}").Replace(job)
	b.engine.rows = rows{{"1", "c3"}, {"1", "c3"}, {"2", "c4"}}
	exact := map[string]float64{"c3": 2, "c4": 1}

	var sum, squares, n, sigma float64
	for i := range runs {
		// another name alone would repeat the noise
		run := strings.Replace(text, "dataset: people", fmt.Sprintf("dataset: people-%d", i), 1)
		o := b.must(func(r *protocol.Request) {
			r.Plan, r.Dir = b.plan(run), filepath.Join(b.dir, fmt.Sprint(i))
		})
		for _, r := range csvtest.Rows(t, filepath.Join(o.Dir, "colours.csv")) {
			noisy, sd := number(t, r["noisy"]), number(t, r["standard_deviation"])
			x := (noisy - exact[r["colour"]]) / sd
			sum, squares, n, sigma = sum+x, squares+x*x, n+1, sd
			if low, high := number(t, r["ci95_low"]), number(t, r["ci95_high"]); low > noisy-1.9599*sd ||
				high < noisy+1.9599*sd {
				t.Fatalf("interval [%v, %v] of %v ± %v is too short", low, high, noisy, sd)
			}
		}
	}
	if n != float64(runs*cells) {
		t.Fatalf("%v cells, want %d", n, runs*cells)
	}
	if z := sum / math.Sqrt(n); math.Abs(z) > 6.3 {
		t.Errorf("mean of the noise: z = %.2f", z)
	}
	if z := (squares/n - 1) * math.Sqrt(n/2); math.Abs(z) > 6.3 {
		t.Errorf("variance of the noise over the published one: %.5f, z = %.2f", squares/n, z)
	}
	m := b.plan(text).Queries()[0].Mechanisms[0]
	if sigma != m.Deviation() {
		t.Errorf("published deviation %v, of the mechanism %v", sigma, m.Deviation())
	}
}

// The mechanisms of a plan meet the guarantee by the definition, and waste less than 1e-9 of delta.
func TestPlanMeetsGuarantee(t *testing.T) {
	for _, epsilon := range []string{"0", "0.01", "1", "8", "100"} {
		p := newBench(t).plan(strings.NewReplacer("epsilon: 1,", "epsilon: "+epsilon+",", "epsilon: 3,",
			"epsilon: 1000,").Replace(job))
		if err := calibrate.Verify(p.Mechanisms(), p.Guarantee()); err != nil {
			t.Errorf("epsilon %s: %v", epsilon, err)
		}
		delta, err := calibrate.GaussianDelta(p.Guarantee().Epsilon, calibrate.ComposedMu(p.Mechanisms()))
		if err != nil {
			t.Fatal(err)
		}
		if waste := 1 - float64(delta/p.Guarantee().Delta); waste > 1e-9 {
			t.Errorf("epsilon %s wastes %g of delta", epsilon, waste)
		}
	}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
