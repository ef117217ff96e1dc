package combine

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/kinds"
)

// In 95 of 100 pairs of releases, the interval of a change contains the change of the exact values. The changes are
// differences of counts, differences of quotients, whose intervals are not symmetric, and relative changes of counts.
// For the tolerance see runs.
func TestChangesCover(t *testing.T) {
	z := calibrate.Z95
	count := func(r *rand.Rand, exact float64) (x, low, high, deviation float64) {
		const sd = 12
		x = exact + sd*r.NormFloat64()
		return x, x - z*sd, x + z*sd, sd
	}
	quotient := func(r *rand.Rand, exact float64) (x, low, high, deviation float64) {
		const n, sdn, sdd = 150.0, 20, 12
		a, b := exact*n+sdn*r.NormFloat64(), n+sdd*r.NormFloat64()
		low, high, _ = kinds.Fieller(a, b, sdn*sdn, sdd*sdd, 0, z)
		return a / b, low, high, 0
	}
	for _, c := range []struct {
		name           string
		draw           func(*rand.Rand, float64) (x, low, high, deviation float64)
		before, latest float64
		relative       bool
	}{
		{"counts", count, 300, 340, true},
		{"small counts", count, 80, 60, true},
		{"quotients", quotient, 0.4, 0.55, false},
		{"quotients of unlike errors", quotient, 0.02, 3, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(17, uint64(len(c.name))))
			differences, relative, stated := 0, 0, 0
			for range runs {
				earlier, later := drawnCells(r, c.draw, c.before, "a", c.relative), drawnCells(r, c.draw, c.latest, "b", c.relative)
				changes, err := Changes(later, earlier, 0)
				if err != nil || len(changes) != 1 {
					t.Fatal(changes, err)
				}
				if d := changes[0].Difference; d.Low <= c.latest-c.before && c.latest-c.before <= d.High {
					differences++
				}
				if p, exact := changes[0].Percent, 100*(c.latest/c.before-1); !math.IsNaN(p.Value) {
					if stated++; p.Low <= exact && exact <= p.High {
						relative++
					}
				}
			}
			t.Logf("differences %.4f, relative changes %.4f of %d", float64(differences)/runs, float64(relative)/float64(stated),
				stated)
			if share := float64(differences) / runs; share < least || share > most {
				t.Errorf("intervals of differences cover %.4f", share)
			}
			if share := float64(relative) / float64(stated); c.relative && (stated < runs*99/100 || share < least || share > most) ||
				!c.relative && stated > 0 {
				t.Errorf("intervals of %d relative changes cover %.4f", stated, share)
			}
		})
	}
}

// drawnCells makes a table of one cell.
func drawnCells(r *rand.Rand, draw func(*rand.Rand, float64) (x, low, high, deviation float64), exact float64, origin string,
	relative bool) *Cells {
	x, low, high, deviation := draw(r, exact)
	return &Cells{Value: []float64{x}, Low: []float64{low}, High: []float64{high}, deviation: []float64{deviation},
		Relative: relative, origin: origin}
}

// Cells are matched by their labels. A change without an interval, or with too wide an interval, is not given.
func TestChangesOfCells(t *testing.T) {
	table := func(origin string, labels []string, values []float64) *Cells {
		c := &Cells{Keys: []domain.KeyColumn{{Name: "region", Stride: 1, Labels: domain.Labels{Strings: labels}}}, Relative: true,
			origin: origin, Value: values}
		for _, x := range values {
			c.Low, c.High, c.deviation = append(c.Low, x-2), append(c.High, x+2), append(c.deviation, 1)
		}
		return c
	}
	earlier := table("a", []string{"north", "south", "west", "small"}, []float64{100, 200, math.NaN(), 1})
	later := table("b", []string{"south", "east", "west", "north", "small"}, []float64{220, 7, 9, 100, 5})
	changes, err := Changes(later, earlier, 3)
	if err != nil {
		t.Fatal(err)
	}
	south := changes[0]
	if south.Before != 1 || south.Difference.Value != 20 || math.Abs(south.Difference.High-20-math.Sqrt(8)) > 1e-9 ||
		math.Abs(south.Percent.Value-10) > 1e-9 {
		t.Errorf("south: %+v", south)
	}
	if changes[1].Before != -1 || !math.IsNaN(changes[1].Difference.Value) || !math.IsNaN(changes[2].Difference.Value) {
		t.Errorf("east, west: %+v", changes[1:3])
	}
	if north := changes[3]; math.IsNaN(north.Percent.Value) || north.Difference.Value != 0 {
		t.Errorf("north: %+v", north)
	}
	if small := changes[4]; !math.IsNaN(small.Percent.Value) || small.Difference.Value != 4 {
		t.Errorf("small: %+v", small)
	}
	if wide, _ := Changes(later, earlier, 1); !math.IsNaN(wide[3].Percent.Value) || wide[3].Difference.Value != 0 {
		t.Errorf("an interval of 2.8 points to each side is stated: %+v", wide[3])
	}
	if uneven := (Interval{10, 9, 14}); !math.IsNaN(uneven.unless(3).Value) || uneven.unless(4) != uneven {
		t.Errorf("an interval that reaches 4 to one side: %v, %v", uneven.unless(3), uneven.unless(4))
	}
	means, earlierMeans := *later, *earlier
	means.Relative, earlierMeans.Relative = false, false
	for _, pair := range [][2]*Cells{{&means, earlier}, {later, &earlierMeans}} {
		got, err := Changes(pair[0], pair[1], 2.5)
		if err != nil || !math.IsNaN(got[0].Percent.Value) || !math.IsNaN(got[0].Difference.Value) {
			t.Errorf("cells that do not add up have an interval of 2.8 to each side: %+v, %v", got[0], err)
		}
		if got, _ = Changes(pair[0], pair[1], 3); got[0].Difference.Value != 20 || !math.IsNaN(got[0].Percent.Value) {
			t.Errorf("cells that do not add up: %+v", got[0])
		}
	}
	perHundred := table("b", []string{"south"}, []float64{1})
	perHundred.Keys, perHundred.times = later.Keys, 100
	if _, err := Changes(later, perHundred, 0); err == nil {
		t.Error("rates per 100 and per 1 are compared")
	}
	for _, other := range []*Cells{table("b", []string{"south"}, []float64{1}), {origin: "c", Value: []float64{1}}} {
		if _, err := Changes(later, other, 0); err == nil {
			t.Errorf("%+v: no error", other)
		}
	}
}

// The interval of a difference is Zou and Donner's: the squared distance of its lower end is the sum of the squared
// distances of the later value's lower end and of the earlier value's upper end. A change in per cent has Fieller's
// interval. It is wider if either release has geometric noise, by half a step, or heavy tails. No change in per cent is
// stated if the earlier value is not above 0.
func TestEndsOfChanges(t *testing.T) {
	cell := func(origin string, x, low, high float64) *Cells {
		return &Cells{origin: origin, Value: []float64{x}, Low: []float64{low}, High: []float64{high}, deviation: []float64{3},
			Relative: true}
	}
	change := func(later, earlier *Cells) Change {
		changes, err := Changes(later, earlier, 0)
		if err != nil {
			t.Fatal(err)
		}
		return changes[0]
	}
	later, earlier := cell("b", 110, 106, 122), cell("a", 100, 97, 108)
	if d := change(later, earlier).Difference; math.Abs(d.Low-(10-math.Hypot(4, 8))) > 1e-9 ||
		math.Abs(d.High-(10+math.Hypot(12, 3))) > 1e-9 {
		t.Errorf("%+v", d)
	}
	for _, heavy := range [][2]bool{{false, false}, {true, false}, {false, true}} {
		later.heavy, earlier.heavy = heavy[0], heavy[1]
		later.step, earlier.step = 0, 2
		z := calibrate.Z95
		if heavy[0] || heavy[1] {
			z = kinds.HeavyZ95(3)
		}
		wider := 3 + 1/z
		low, high, _ := kinds.Fieller(110, 100, 9, wider*wider, 0, z)
		if p := change(later, earlier).Percent; math.Abs(p.Low-100*(low-1)) > 1e-9 || math.Abs(p.High-100*(high-1)) > 1e-9 {
			t.Errorf("heavy %v: %+v, want %g to %g", heavy, p, 100*(low-1), 100*(high-1))
		}
	}
	if p := change(later, cell("a", -100, -106, -94)).Percent; !math.IsNaN(p.Value) {
		t.Errorf("a change of a negative number is %+v", p)
	}
}
