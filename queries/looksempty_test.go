package queries

import (
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/quantize"
)

// LooksEmpty reports that an answer could be noise alone if neither the sum of its cells nor any cell exceeds the noise
// threshold. Null cells and other cells are ignored, and so is the sign of sums.
func TestNothing(t *testing.T) {
	noisy := func(values ...float64) mechanism.Noisy {
		m := calibrate.Mechanism{Query: "q", Sens: calibrate.Sensitivity{L2: 1}, Sigma: 10, Grid: 1.0 / 16}
		return mechanismtest.Make(t, m, values)
	}
	binned := spec(4, Bounds{MaxRows: 1})
	binned.By[0].Null, binned.By[0].Other = domain.OwnCell, domain.OwnCell
	sum := Spec{Name: "q", Kind: Sum, Unit: []string{"u"}, Bounds: Bounds{MaxRows: 1},
		Value: &quantize.Value{Columns: []string{"x"}, Lo: "-1", Hi: "1"}}
	mean := sum
	mean.Kind = Mean
	public := Spec{Name: "q", Kind: Mean, Value: &quantize.Value{Columns: []string{"x"}, Lo: "-1", Hi: "1", Rows: 9}}
	for name, c := range map[string]struct {
		spec  Spec
		noisy []mechanism.Noisy
		want  bool
	}{
		"noise":                  {spec(4, Bounds{MaxRows: 1}), []mechanism.Noisy{noisy(12, -3, 20, -15)}, true},
		"a cell exceeds it":      {spec(4, Bounds{MaxRows: 1}), []mechanism.Noisy{noisy(0, -40, 90, 0)}, false},
		"the sum exceeds it":     {spec(4, Bounds{MaxRows: 1}), []mechanism.Noisy{noisy(30, 25, 20, 25)}, false},
		"all is null and other":  {binned, []mechanism.Noisy{noisy(12, -3, 20, -15, 5000, 7000)}, true},
		"listed cells beside it": {binned, []mechanism.Noisy{noisy(120, -3, 20, -15, 5000, 7000)}, false},
		"count":                  {spec(1, Bounds{MaxRows: 1}), []mechanism.Noisy{noisy(41)}, false},
		"no count":               {spec(1, Bounds{MaxRows: 1}), []mechanism.Noisy{noisy(39)}, true},
		"sum":                    {sum, []mechanism.Noisy{noisy(-41)}, false},
		"no sum":                 {sum, []mechanism.Noisy{noisy(-39)}, true},
		"mean of some rows":      {mean, []mechanism.Noisy{noisy(0), noisy(200)}, false},
		"mean of no rows":        {mean, []mechanism.Noisy{noisy(300), noisy(2)}, true},
		"mean of public rows":    {public, []mechanism.Noisy{noisy(0)}, false},
	} {
		q, err := New(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := q.LooksEmpty(c.noisy); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
