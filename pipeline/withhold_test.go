package pipeline

import (
	"math"
	"testing"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/queries/query"
)

func series(values ...float64) query.Series {
	return func(start int, dst []float64) { copy(dst, values[start:]) }
}

func filled(s query.Series, n int) []float64 {
	out := make([]float64, n)
	s(0, out)
	return out
}

// Cells that the publish rule leaves out are empty in every column, marked and counted. The other cells do not change.
func TestApply(t *testing.T) {
	noisy := []float64{100, 19.9, 20, -50, math.NaN(), 31}
	a := query.Answer{
		Cells: 6, Noisy: series(noisy...), Estimate: series(100, 20, 20, 0, 0, 31), Sigma: series(3, 3, 3, 3, 3, 3),
		Low: series(94, 13.9, 14, -56, math.NaN(), 25), High: series(106, 25.9, 26, -44, math.NaN(), 37),
	}
	for _, c := range []struct {
		rule publishRule
		keep []bool
	}{
		{publishRule{MinCount: 20}, []bool{true, false, true, false, false, true}},
		{publishRule{MaxRelative: 0.2}, []bool{true, false, false, true, false, true}},
		{publishRule{MinCount: 20, MaxRelative: 0.2}, []bool{true, false, false, false, false, true}},
	} {
		hidden := c.rule.hidden(a)
		out, withheld := emptied(a, hidden), hidden.count()
		marks := filled(out.Extra[len(out.Extra)-1].Values, 6)
		n := 0
		for i, keep := range c.keep {
			if !keep {
				n++
			}
			if (marks[i] == 0) != keep {
				t.Errorf("%+v: cell %d has the mark %v", c.rule, i, marks[i])
			}
			for k, s := range []query.Series{out.Noisy, out.Estimate, out.Low, out.High} {
				if x := filled(s, 6)[i]; math.IsNaN(x) == keep {
					t.Errorf("%+v: cell %d, column %d: %v", c.rule, i, k, x)
				}
			}
		}
		if withheld != n || filled(out.Sigma, 6)[1] != 3 {
			t.Errorf("%+v: %d cells are said to be left out, want %d", c.rule, withheld, n)
		}
	}
}

// min_count is compared with the noisy count of a mean, not with the mean. If a mean is left out, its noisy sum, its
// noisy count and its standard deviation are empty too, because the mean could be computed from them.
func TestApplyToMeans(t *testing.T) {
	a := query.Answer{
		Cells: 2, Noisy: series(50, 5), Estimate: series(50, 5), Sigma: series(1, 1), Low: series(48, 3), High: series(52, 7),
		Extra: []query.Extra{{Name: "noisy_centred_sum", Values: series(10, 20)},
			{Name: noisyCount, Values: series(3, 400)}},
	}
	hidden := publishRule{MinCount: 20}.hidden(a)
	out, n := emptied(a, hidden), hidden.count()
	for _, s := range []query.Series{out.Noisy, out.Sigma, out.Extra[0].Values, out.Extra[1].Values} {
		if x := filled(s, 2); !math.IsNaN(x[0]) || math.IsNaN(x[1]) {
			t.Errorf("%v", x)
		}
	}
	if n != 1 || len(out.Extra) != 3 || out.Extra[2].Name != withheldColumn {
		t.Errorf("%d, %v", n, out.Extra)
	}
}

func TestProblem(t *testing.T) {
	both := publishRule{MinCount: 20, MaxRelative: 0.2}
	job := &configs.Job{Queries: []configs.Query{{Name: "a", Margins: []string{"b"}}, {Name: "b", Publish: &configs.Publish{}}},
		Output: configs.Output{Publish: &configs.Publish{MinCount: "20"}}}
	problem := func(r publishRule, q *configs.Query, methods ...string) (message, hint string) {
		var steps []*denoise.Step
		for _, m := range methods {
			s, err := denoise.New(m, nil)
			if err != nil {
				t.Fatal(err)
			}
			steps = append(steps, s)
		}
		return r.Problem(q, job, steps)
	}
	for what, q := range map[string]*configs.Query{
		"cdf": {Histogram: &configs.Histogram{CDF: new(true)}}, "optimize": {Histogram: &configs.Histogram{Optimize: "cdf"}},
		"margins": {Name: "a", Margins: []string{"b"}, Histogram: &configs.Histogram{}}, "a margin": {Name: "b",
			Count: &configs.Count{}, Publish: &configs.Publish{}},
		"sum": {Sum: &configs.Aggregate{}}, "sparse": {Histogram: &configs.Histogram{}, Sparse: true},
	} {
		if message, hint := problem(both, q); message == "" || hint == "" {
			t.Errorf("%s: %q, %q", what, message, hint)
		}
		if message, _ := problem(publishRule{}, q, "james-stein"); message != "" {
			t.Errorf("%s without a rule: %s", what, message)
		}
	}
	for what, q := range map[string]*configs.Query{"mean": {Mean: &configs.Aggregate{}},
		"count": {Count: &configs.Count{}}, "histogram": {Histogram: &configs.Histogram{}},
		"crosstabs": {Crosstabs: &configs.Crosstabs{}}} {
		if message, _ := problem(both, q); message != "" {
			t.Errorf("%s: %s", what, message)
		}
	}
	if message, _ := problem(publishRule{MaxRelative: 0.1}, &configs.Query{Sum: &configs.Aggregate{}}, "nonnegative",
		"round"); message != "" {
		t.Error(message)
	}
	if message, hint := problem(both, &configs.Query{Histogram: &configs.Histogram{}}, "james-stein"); message == "" ||
		hint == "" {
		t.Errorf("james-stein: %q, %q", message, hint)
	}
}
