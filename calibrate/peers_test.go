package calibrate

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/calibrate/internal/curvetest"
	"github.com/dprelease/dprelease/internal/csvtest"
)

// TestPeers compares the calibration with numbers from other libraries: from the tests of Google's and OpenDP's at the
// named commits, and from the output of dp-accounting and autodp. Each number has the tolerance that its source states.
// -v prints a table of the differences.
//
//   - delta, epsilon, sigma: the exact value of this column. Theirs is rounded, or found by bisection.
//   - bound: an epsilon that is proven to be enough, by zCDP, Rényi or privacy-loss distributions. The exact one is not
//     larger, and smaller by the tolerance at most.
//   - laplace: the delta of Laplace noise; sigma holds the scale and sensitivity the L1 sensitivity.
func TestPeers(t *testing.T) {
	type summary struct {
		values  int
		largest float64 // relative difference
	}
	table := map[string]*summary{}
	for _, row := range csvtest.Rows(t, filepath.Join("testdata", "peers.csv")) {
		number := func(column string) float64 { return curvetest.Nearest(t, row[column]) }
		what := fmt.Sprintf("%s, %s: sensitivity %s, sigma %s, %s times, epsilon %s, delta %s", row["source"], row["where"],
			row["sensitivity"], row["sigma"], row["times"], row["epsilon"], row["delta"])
		sens := Sensitivity{L2: number("sensitivity")}
		m := Mechanism{Sens: sens, Sigma: Sigma(number("sigma"))}
		eps, delta := Epsilon(number("epsilon")), Delta(number("delta"))
		var got, want float64
		var err error
		switch kind := row["kind"]; kind {
		case "delta":
			var d Delta
			d, err = m.Delta(eps)
			got, want = float64(d), float64(delta)
		case "laplace":
			var d Delta
			d, err = Laplace{L1: sens.L2, Scale: float64(m.Sigma)}.Delta(eps)
			got, want = float64(d), float64(delta)
		case "sigma":
			var s Sigma
			s, err = AnalyticGaussian(sens, Guarantee{eps, delta})
			got, want = float64(s), float64(m.Sigma)
		case "epsilon", "bound":
			var g Guarantee
			g, err = Compose(slices.Repeat([]Mechanism{m}, int(number("times"))), delta)
			got, want = float64(g.Epsilon), float64(eps)
			if kind == "bound" && got > want*(1+1e-12) {
				t.Errorf("%s: epsilon %v is above their bound", what, got)
			}
		default:
			t.Fatalf("%s: there is no kind %q", what, kind)
		}
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if math.Abs(got-want) > number("tolerance") {
			t.Errorf("%s: %s %v here, a difference of %.3g; tolerance %s", what, row["kind"], got, got-want, row["tolerance"])
		}
		name := fmt.Sprintf("| %s | %s |", row["source"], row["kind"])
		if table[name] == nil {
			table[name] = &summary{}
		}
		table[name].values++
		if want != 0 {
			table[name].largest = max(table[name].largest, math.Abs(got-want)/want)
		}
	}
	t.Log("| source | kind | values | largest relative difference |")
	for _, name := range slices.Sorted(maps.Keys(table)) {
		t.Logf("%s %d | %.1g |", name, table[name].values, table[name].largest)
	}
}
