package pipeline

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/query"
)

// steps makes the denoising steps of a query. It reports a wrong step and returns nil in its place.
func (b *builder) steps(jq *configs.Query, path string) []*denoise.Step {
	steps := make([]*denoise.Step, len(jq.Denoise))
	var sound []*denoise.Step
	for k := range jq.Denoise {
		d, at := &jq.Denoise[k], stepPath(path, k)
		if problems := CheckStep(jq, d); len(problems) > 0 {
			for _, p := range problems {
				b.stepProblem(at, p)
			}
			continue
		}
		step, err := denoise.New(d.Method, d.Args)
		if err != nil {
			b.denoiseError(at, err)
			continue
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

// CheckStep returns the problems of a denoising step of a query, each with its key in the job.
func CheckStep(q *configs.Query, d *configs.Denoise) (out []configs.StepProblem) {
	for _, e := range denoise.CheckStep(d.Method, d.Args, d.Graph != nil, kindOf(q)) {
		out = append(out, problemOf(e))
	}
	return out
}

// kindOf returns the kind of numbers to which a query's denoising steps apply, such as counts.
func kindOf(q *configs.Query) denoise.Kind {
	for kind, a := range q.Aggregates() {
		switch {
		case a == q.Mean:
			return denoise.CentredSums
		case query.Kind(kind).IsQuotient():
			return denoise.Quotient
		}
		if len(a.Bounds()) == 2 {
			if least, err := calibrate.ParseNearest(string(a.Bounds()[0])); err == nil && least >= 0 {
				return denoise.Counts
			}
		}
		return denoise.SignedSums
	}
	return denoise.Counts
}

// jobCodes maps error codes of package denoise to the codes that the job's other keys use for the same problem.
var jobCodes = map[string]string{
	denoise.CodeUnknownMethod: configs.CodeBadValue, denoise.CodeUnknownParameter: configs.CodeUnknownKey,
	denoise.CodeMissing: configs.CodeMissing,
}

func problemOf(e *denoise.Error) configs.StepProblem {
	p := configs.StepProblem{Key: e.Param, Code: cmp.Or(jobCodes[e.Code], e.Code), Message: e.Message, Hint: e.Hint}
	if e.Code == denoise.CodeUnknownMethod {
		p.Key = "method"
	}
	return p
}

func (b *builder) stepProblem(path string, p configs.StepProblem) {
	if p.Key != "" {
		path += "." + p.Key
	}
	b.report(path, p.Code, p.Message, p.Hint)
}

// denoiseError reports a step's error at the parameter that the error names.
func (b *builder) denoiseError(path string, err error) {
	var e *denoise.Error
	if errors.As(err, &e) {
		b.stepProblem(path, problemOf(e))
		return
	}
	b.report(path, "bad-value", err.Error(), "")
}

// bind fixes the shape of the query's cells in each step. A step that does not suit the cells is reported here, before
// anything is spent.
func (b *builder) bind(steps []*denoise.Step, jq *configs.Query, q *Planned) []*denoise.Step {
	var bound []*denoise.Step
	shape := shapeOf(q.Query)
	// the components are not the cells: they have no dimensions that a step can use
	if len(q.Components) > 0 && shape.Cells() != q.Components[0].Cells && !q.Selected() {
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
			if s, err = s.WithGraph(network); err != nil {
				b.denoiseError(path+".graph", err)
				continue
			}
		}
		fitting, err := s.Bind(shape)
		switch {
		case err != nil:
			b.denoiseError(path, err)
		case !q.Selected():
			bound = append(bound, fitting)
		case s.KnownNoise():
			b.report(path, "contradiction", s.Name()+" does not go with keys that are discovered: their counts are published "+
				"for being large, so that their noise is not independent of it",
				"leave the estimates at the noisy counts")
		default:
			bound = append(bound, s)
		}
	}
	return bound
}

// Selected reports whether noisy counts decide which cells the query has. The number of cells is then unknown before
// the run.
func (q *Planned) Selected() bool { return len(q.Components) > 0 && q.Components[0].Keys > 0 }

// shapeOf returns the number of cells along each dimension of a query. A query for a single number has one dimension of
// one cell.
func shapeOf(q query.Query) denoise.Shape {
	s := denoise.Shape{}
	for _, a := range queries.Directions(q) {
		s.Dims, s.Ordered = append(s.Dims, a.Size), append(s.Ordered, a.Ordered)
	}
	if len(s.Dims) == 0 {
		return denoise.Shape{Dims: []int{1}, Ordered: []bool{false}}
	}
	return s
}
