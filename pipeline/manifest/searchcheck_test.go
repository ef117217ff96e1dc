package manifest

import (
	"math"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/queries/query"
)

// The noise for which a bound or a clamp was chosen is compared with a tolerance, since a root may differ in its last
// bit between machines.
func TestNoiseOfASearchIsCompared(t *testing.T) {
	m := calibrate.Mechanism{Sens: calibrate.Sensitivity{L2: 1}, Sigma: 10, Grid: 0.5}
	bit := func(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }
	part := func(x float64) float64 { return x * (1 + 1e-9) }
	same := func(x float64) float64 { return x }
	for name, c := range map[string]struct {
		change func(float64) float64
		pass   bool
	}{"same": {same, true}, "another bit": {bit, true}, "another number": {part, false}} {
		rows := Query{
			Name: "q", Cells: 1, Mechanisms: []Mechanism{{Sigma: 3}, {Sigma: 4}},
			RowsSearch: &RowsSearch{
				Charged: []Charged{{Sigma: 15}, {Sigma: 20}}, Most: []float64{1, 1},
				RowsSearch: query.RowsSearch{
					RuleVersion: 1, Steps: []int64{1, 2, 4, 5}, Noise: []float64{c.change(5), 10, 20,
						25}, Groups: 1, Grid: 0.5, Deviation: m.Deviation(), Cells: make([]int64, 4),
				},
			},
		}
		clamp := Query{
			Name: "q", Cells: 1, Mechanisms: []Mechanism{{Sigma: 3}, {Sigma: 4}},
			Search: &Search{
				Charged: []Charged{{Sigma: 3 * 1024}, {Sigma: 4}},
				ClampSearch: query.ClampSearch{
					RuleVersion: 1, Most: 1024, Groups: 1, Noise: c.change(5), Grid: 0.5, Deviation: m.Deviation(),
					Cells: make([]int64, 361),
				},
			},
		}
		for _, q := range []Query{rows, clamp} {
			err := error(nil)
			if q.RowsSearch != nil {
				err = q.RowsSearch.Choose()
			} else {
				err = q.Search.Choose()
			}
			if err != nil {
				t.Fatal(err)
			}
			if q.RowsSearch != nil {
				err = q.checkRowsSearch(m)
			} else {
				err = q.checkClampSearch(m)
			}
			if (err == nil) != c.pass {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
