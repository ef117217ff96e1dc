package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs"
)

// targetJob is a job with some queries at an epsilon.
func targetJob(epsilon, privacy, queries string) string {
	return fmt.Sprintf(`version: 1
name: targets
privacy: {epsilon: %s, delta: 1e-6, unit: [u], per_unit: {max_rows: 3}%s}
input: {files: [t.csv]}
queries:
%soutput: {dir: out}
ledger: {store: "sqlite:l.db", dataset: d, budget: {epsilon: 1000, delta: 1e-5}}
`, epsilon, privacy, queries)
}

func targetPlan(tb testing.TB, text string) *Plan {
	tb.Helper()
	job, diags := configs.Parse("job.yaml", []byte(text), configs.ParseOptions{})
	if len(diags) > 0 {
		tb.Fatal(diags)
	}
	p, diags := New(job, nil)
	if len(diags) > 0 {
		tb.Fatal(diags)
	}
	return p
}

const mixedTargets = `  - {name: all, count: {}, accuracy: {95%: 40}}
  - {name: ages, histogram: {by: [{column: age, from: 0, to: 100, width: 5}]}, accuracy: {95%: 0.1, at: 250}}
  - {name: spent, sum: {column: x, clamp: [0, 1000]}, accuracy: {95%: 30000}}
  - {name: mean, mean: {column: x, clamp: [0, 10]}, accuracy: {95%: 0.25, rows: 1000}}
  - {name: below, histogram: {by: [{column: age, from: 0, to: 100, width: 1}], optimize: cdf}, accuracy: {95%: 90}}
  - {name: shared, histogram: {by: [{column: age, from: 0, to: 100, width: 5}], noise: auto}, per_unit: {max_groups: 20, max_rows_per_group: 1}, accuracy: {95%: 40}}
  - name: tables
    crosstabs: {by: [{column: a, values: [1, 2, 3]}, {column: b, values: [1, 2]}], ways: [1, 2]}
    accuracy: {95%: 60, table: [b, a]}
`

// At the smallest epsilon, as WithEpsilon writes it into the job, all targets are met. At an epsilon that is smaller by
// one part in 10^9, a target is missed.
func TestLeastEpsilonIsLeast(t *testing.T) {
	for _, privacy := range []string{"", ", weights: auto", ", adjacency: replace-one",
		", adjacency: replace-one, weights: auto"} {
		t.Run(privacy, func(t *testing.T) {
			text := targetJob("1", privacy, mixedTargets)
			first := targetPlan(t, text)
			least := first.Targets()
			if least == nil || float64(least.Epsilon) <= 0 || least.Auto != strings.Contains(privacy, "auto") {
				t.Fatalf("%+v", least)
			}
			filled, ok := configs.WithEpsilon([]byte(text), least.Text)
			if !ok || string(filled) != targetJob(least.Text, privacy, mixedTargets) {
				t.Fatalf("%s", filled)
			}
			met := targetPlan(t, string(filled))
			if missed := met.missed(); len(missed) > 0 {
				t.Errorf("at %s: %v", least.Text, missed)
			}
			if s := met.Targets().Spare; s < 1-1e-11 || s > 1+1e-9 {
				t.Errorf("factor to spare %.15g at the least epsilon", s)
			}
			less := strconv.FormatFloat(float64(least.Epsilon)*(1-1e-9), 'g', 16, 64)
			if missed := targetPlan(t, targetJob(less, privacy, mixedTargets)).missed(); len(missed) == 0 {
				t.Errorf("at %s, less than %s, no target is missed", less, least.Text)
			}
		})
	}
}

// With weights: auto, all queries have the same ratio of target to half-width, except for the effect of the grid.
func TestAutomaticWeightsSpareAlike(t *testing.T) {
	for _, epsilon := range []string{"0.3", "1", "7"} {
		p := targetPlan(t, targetJob(epsilon, ", weights: auto", mixedTargets))
		for i := range p.queries {
			q := &p.queries[i]
			if got := q.target.half / q.plannedHalf(); math.Abs(got/p.Targets().Spare-1) > 1e-3 {
				t.Errorf("epsilon %s, %s: factor %g, of all %g", epsilon, q.Query.Name(), got, p.Targets().Spare)
			}
		}
		if (p.Targets().Spare < 1) != (len(p.missed()) > 0) {
			t.Errorf("epsilon %s: factor %g, missed %v", epsilon, p.Targets().Spare, p.missed())
		}
	}
}

// If a target of crosstabs names a table, only this table's half-width is compared with it. So at the smallest epsilon
// for the target this table's half-width equals the target, and no other table's does.
func TestTargetsOfTables(t *testing.T) {
	for _, adjacency := range []string{"", ", adjacency: replace-one"} {
		for _, table := range []string{"a", "b", "c", "a, b", "c, a", "b, c"} {
			text := fmt.Sprintf(`  - name: first
    crosstabs: {by: [{column: a, values: [1, 2, 3]}, {column: b, values: [1, 2]}], ways: [1, 2]}
  - name: second
    crosstabs: {by: [{column: a, values: [1, 2, 3, 4]}, {column: b, values: [1, 2]}, {column: c, values: [1, 2, 3, 4, 5, 6]}], ways: [1, 2]}
    accuracy: {95%%: 60, table: [%s]}
`, table)
			least := targetPlan(t, targetJob("1", adjacency, text)).Targets().Text
			p := targetPlan(t, targetJob(least, adjacency, text))
			if missed := p.missed(); len(missed) > 0 {
				t.Errorf("table %s: %v", table, missed)
			}
			names := strings.Split(table, ", ")
			slices.Sort(names)
			for _, of := range p.queries[1].Strategy.Tables {
				half := calibrate.Z95 * of.Deviation
				if got := strings.Join(of.By, ", "); (got == strings.Join(names, ", ")) != (math.Abs(half/60-1) < 1e-6) {
					t.Errorf("target 60 of table %s: table %s has a half-width of %g", table, got, half)
				}
			}
		}
	}
}

// Targets are half-widths in the unit of the answer. With the key at, a target is a fraction of that number. With the
// key rows, the target of a mean is multiplied by the number of rows. If the job gives weights, epsilon follows from
// the query that needs the most mu² for its weight.
func TestTargetsAreStatedInTheirUnits(t *testing.T) {
	least := func(privacy, queries string) float64 {
		return float64(targetPlan(t, targetJob("1", privacy, queries)).Targets().Epsilon)
	}
	count := func(name, accuracy string) string {
		return fmt.Sprintf("  - {name: %s, count: {}, accuracy: %s}\n", name, accuracy)
	}
	if a, b := least("", count("q", "{95%: 0.1, at: 250}")), least("", count("q", "{95%: 25}")); math.Abs(a/b-1) > 1e-9 {
		t.Errorf("a tenth of 250 takes %g, 25 takes %g", a, b)
	}
	p := targetPlan(t, targetJob("1", "", "  - {name: q, mean: {column: x, clamp: [0, 10]}, accuracy: {95%: 0.25, rows: 1000}}\n"))
	half, perRow := p.queries[0].HalfWidth()
	if got := p.queries[0].plannedHalf(); !perRow || got != half || p.queries[0].target.half != 250 {
		t.Errorf("a half-width of %g over rows is compared with %g", got, p.queries[0].target.half)
	}
	// The first count needs four times the mu² of the second one, and has the weight 3 of 4. So both together need 4/3 of
	// its mu².
	both := strings.Replace(count("a", "{95%: 20}"), "count: {}", "count: {}, weight: 3", 1) + count("b", "{95%: 40}")
	a := float64(targetPlan(t, targetJob("1", "", count("a", "{95%: 20}"))).needOf(t, 0))
	eps, err := calibrate.GaussianEpsilon(1e-6, calibrate.Mu(a*math.Sqrt(4.0/3)))
	if err != nil {
		t.Fatal(err)
	}
	if got := least("", both); math.Abs(got/float64(eps)-1) > 1e-9 {
		t.Errorf("weights 3 and 1 take epsilon %g, want %g", got, eps)
	}
}

// needOf returns the smallest mu at which query i reaches its target.
func (p *Plan) needOf(t *testing.T, i int) float64 {
	t.Helper()
	mu, err := p.queries[i].minMu(p.adjacency)
	if err != nil {
		t.Fatal(err)
	}
	return mu
}

// thousand returns a thousand counts with targets, as the queries of a job.
func thousand() string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "  - {name: q%d, count: {}, accuracy: {95%%: %.6g}}\n", i, math.Exp(r.Float64()*8+1))
	}
	return b.String()
}

// For counts, a closed form gives the smallest epsilon. A count needs mu = 3/sigma, with the largest sigma for which
// sigma² + grid²/12 is at most d². The grid is the largest power of two that is at most 1 and at most sigma/16.
func TestThousandTargets(t *testing.T) {
	p := targetPlan(t, targetJob("1", ", weights: auto", thousand()))
	mu2 := 0.0
	for i := range p.queries {
		d := p.queries[i].target.half / calibrate.Z95
		best := math.Inf(1)
		for e := -20; e <= 0; e++ { // the grid that this sigma has
			g := math.Ldexp(1, e)
			sigma := min(math.Sqrt(d*d-g*g/12), math.Nextafter(32*g, 0))
			if g == 1 {
				sigma = math.Sqrt(d*d - g*g/12)
			}
			if got, err := calibrate.Grid(calibrate.Sigma(sigma), 1, 1); err == nil && got == g {
				best = min(best, 3/sigma)
			}
		}
		mu2 += best * best
	}
	want, err := calibrate.GaussianEpsilon(1e-6, calibrate.Mu(math.Sqrt(mu2)))
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Targets().Epsilon; math.Abs(float64(got/want-1)) > 1e-9 {
		t.Errorf("least epsilon %.15g, want %.15g", got, want)
	}
}

func BenchmarkThousandTargets(b *testing.B) {
	job, diags := configs.Parse("job.yaml", []byte(targetJob("1", ", weights: auto", thousand())), configs.ParseOptions{})
	if len(diags) > 0 {
		b.Fatal(diags)
	}
	p, diags := New(job, nil)
	if len(diags) > 0 {
		b.Fatal(diags)
	}
	for b.Loop() {
		builder := &builder{job: job, gathered: &gathered{}}
		needed := builder.minMus(p)
		builder.findEpsilon(p, needed, needed)
	}
}

// Each invalid target is reported at its path.
func TestTargetProblems(t *testing.T) {
	for queries, want := range map[string]string{
		"  - {name: m, mean: {column: x, clamp: [0, 10]}, accuracy: {95%: 1}}\n": "private number of rows",
		"  - {name: c, count: {}, accuracy: {95%: 1, rows: 5}}\n":                "does not depend on a number of rows",
		"  - {name: c, count: {}, accuracy: {95%: 1, table: [a]}}\n":             "no such table",
		"  - {name: c, count: {}, accuracy: {95%: 1e-300}}\n":                    "half-width",
	} {
		job, diags := configs.Parse("job.yaml", []byte(targetJob("1", "", queries)), configs.ParseOptions{})
		if len(diags) == 0 {
			_, diags = New(job, nil)
		}
		if len(diags) == 0 || !strings.Contains(diags[0].Message, want) {
			t.Errorf("%s: %v", queries, diags)
		}
	}
	for _, queries := range []string{"  - {name: c, count: {}}\n",
		"  - {name: c, count: {}, weight: 2, accuracy: {95%: 1}}\n"} {
		if _, diags := configs.Parse("job.yaml", []byte(targetJob("1", ", weights: auto", queries)),
			configs.ParseOptions{}); len(diags) == 0 {
			t.Errorf("%s is accepted", queries)
		}
	}
}
