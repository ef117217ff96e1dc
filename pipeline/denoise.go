package pipeline

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/queries"
)

// steps makes the steps of a query, nil in the place of one that is wrong.
func (b *builder) steps(jq *configs.Query, path string) []denoise.Step {
	steps := make([]denoise.Step, len(jq.Denoise))
	var sound []denoise.Step
	for k := range jq.Denoise {
		at := stepPath(path, k)
		step, err := denoise.New(jq.Denoise[k].Method, jq.Denoise[k].Params())
		if err != nil {
			b.denoiseError(at, err)
			continue
		}
		switch {
		case jq.Variance != nil:
			b.report(at, "contradiction", "no step goes with a variance, a quotient of three noisy vectors", "remove denoise")
		case jq.Mean != nil:
			b.meanSteps(&jq.Denoise[k], at)
		case jq.Sum != nil && jq.Denoise[k].Nonnegative == nil && floored(&jq.Denoise[k]) && (len(jq.Sum.Clamp) != 2 || b.number(jq.Sum.Clamp[0], "") < 0):
			b.report(at, "contradiction", jq.Denoise[k].Method+" moves sums below 0 to 0, and these may be below 0", "write nonnegative: false, or clamp the values to at least 0")
		}
		steps[k] = step
		sound = append(sound, step)
	}
	if err := denoise.Check(sound); err != nil {
		b.denoiseError(path+".denoise", err)
	}
	return steps
}

func stepPath(query string, k int) string { return fmt.Sprintf("%s.denoise[%d]", query, k) }

// meanSteps reports steps that do not go with a mean. A mean's vector is that of its sums, so that a number in the unit of the
// mean would be too small.
func (b *builder) meanSteps(d *configs.Denoise, path string) {
	const hint = "a mean's steps act on the sums of differences from the centre of the range, which may be negative; the mean itself never leaves its range"
	switch {
	case forCounts[d.Method]:
		b.report(path, "contradiction", d.Method+" does not go with a mean", hint)
	case floored(d):
		b.report(path, "contradiction", "the sums of a mean may be negative", "write nonnegative: false; "+hint)
	}
	params := d.Params()
	for _, key := range []string{"threshold", "lambda", "toward", "prior_variance"} {
		if _, err := calibrate.ParseDecimal(params[key]); err == nil {
			b.report(path+"."+key, "contradiction", "a number for the "+key+" of a mean would act on sums, not on the mean",
				"leave "+key+" out, or give a word: it then follows the noise")
		}
	}
}

// forCounts are the steps that make no sense for centred sums.
var forCounts = map[string]bool{"nonnegative": true, "round": true, "total": true}

// floored says whether a step leaves nothing below 0.
func floored(d *configs.Denoise) bool {
	if d.Nonnegative != nil {
		return *d.Nonnegative
	}
	return d.Method == "tree-ensemble"
}

func (b *builder) denoiseError(path string, err error) {
	var e *denoise.Error
	if errors.As(err, &e) {
		b.report(path, e.Code, e.Message, e.Hint)
		return
	}
	b.report(path, "bad-value", err.Error(), "")
}

// bind tells the steps how the cells lie, so that one that does not go with them is found before anything is spent.
func (b *builder) bind(steps []denoise.Step, jq *configs.Query, q *Planned) []denoise.Step {
	var bound []denoise.Step
	shape := shapeOf(q.Query)
	if len(q.Components) > 0 && shape.Cells() != q.Components[0].Cells && !q.Selected() { // of a kind whose cells have no known order
		shape = denoise.Shape{Dims: []int{max(q.Components[0].Cells, 1)}, Ordered: []bool{false}}
	}
	for k, s := range steps {
		if s == nil {
			continue
		}
		path, err := stepPath(q.path, k), error(nil)
		if g := jq.Denoise[k].Graph; g != nil {
			network := b.network(g, q, path+".graph")
			if network == nil {
				continue
			}
			if s, err = denoise.WithGraph(s, network); err != nil {
				b.denoiseError(path+".graph", err)
				continue
			}
		}
		fitting, err := denoise.Bind(s, shape)
		switch {
		case err != nil:
			b.denoiseError(path, err)
		case !q.Selected():
			bound = append(bound, fitting)
		case knownNoise(s.Name()):
			b.report(path, "contradiction", s.Name()+" does not go with keys that are discovered: their counts are published for being large, so that their noise is not independent of it",
				"leave the estimates at the noisy counts")
		default:
			bound = append(bound, s)
		}
	}
	return bound
}

// Selected says whether the query's cells are chosen by their noisy counts: how many there will be is not known then.
func (q *Planned) Selected() bool { return len(q.Components) > 0 && q.Components[0].Keys > 0 }

func knownNoise(method string) bool {
	return slices.ContainsFunc(denoise.Methods(), func(m denoise.Method) bool { return m.Name == method && m.KnownNoise })
}

// shapeOf says how the cells of a query's vector lie; those of one number in one dimension.
func shapeOf(q queries.Query) denoise.Shape {
	s := denoise.Shape{}
	for _, a := range queries.Directions(q) {
		s.Dims, s.Ordered = append(s.Dims, a.Size), append(s.Ordered, a.Ordered)
	}
	if len(s.Dims) == 0 {
		return denoise.Shape{Dims: []int{1}, Ordered: []bool{false}}
	}
	return s
}
