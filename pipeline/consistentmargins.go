package pipeline

import (
	"fmt"
	"slices"

	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/queries"
)

// margins finds, for each query that names margins in the job, the queries that are its margins and the dimensions that
// they keep.
func (b *builder) margins(p *Plan) {
	for i := range b.job.Queries {
		jq := &b.job.Queries[i]
		for k, name := range jq.Margins {
			at := slices.IndexFunc(p.queries, func(q Planned) bool { return q.Query != nil && q.Query.Name() == name })
			if at < 0 || p.queries[i].Query == nil {
				continue // the builder has reported it
			}
			axes, ok := jq.MarginAxes(&b.job.Queries[at])
			if !ok || p.queries[i].Selected() || p.queries[at].Selected() ||
				p.queries[i].dimensionSizes().product(axes) != p.queries[at].Query.Cells() {
				b.report(fmt.Sprintf("queries[%d].margins[%d]", i, k), "contradiction", name+" is not a sum of this query's cells",
					"")
				continue
			}
			p.queries[i].margins = append(p.queries[i].margins, margin{at, axes})
			p.queries[at].isMargin = true
		}
	}
}

// sizes holds the number of cells along each dimension of a query. A grid is one dimension.
type sizes []int

func (s sizes) product(axes []int) int {
	cells := 1
	for _, a := range axes {
		cells *= s[a]
	}
	return cells
}

// dimensionSizes returns the numbers of cells along the dimensions of a query. It joins the directions of a grid.
func (q *Planned) dimensionSizes() sizes {
	var out sizes
	for _, a := range queries.Directions(q.Query) {
		if a.By == len(out)-1 && a.By >= 0 {
			out[a.By] *= a.Size
			continue
		}
		out = append(out, a.Size)
	}
	return out
}

// applyMargins makes the estimates of a table and its margins agree. It removes the expected errors computed from
// earlier steps, which no longer apply.
func (c *RunPlan) applyMargins(estimates [][]mechanism.Noisy, results []Result) error {
	for i := range c.queries {
		q := &c.queries[i]
		if len(q.margins) == 0 {
			continue
		}
		shape := denoise.Shape{Dims: q.dimensionSizes(), Ordered: make([]bool, len(q.dimensionSizes()))}
		var margins []releasedMargin
		for _, m := range q.margins {
			margins = append(margins, releasedMargin{m.axes, estimates[m.query][0]})
		}
		table, rest, err := makeConsistent(estimates[i][0], shape, margins)
		if err != nil {
			return err
		}
		estimates[i][0], results[i].Expected = table, nil
		for k, m := range q.margins {
			estimates[m.query][0], results[m.query].Expected = rest[k], nil
			note := "made consistent with "
			results[i].Notes = append(results[i].Notes, note+results[m.query].Name)
			results[m.query].Notes = append(results[m.query].Notes, note+results[i].Name)
		}
	}
	return nil
}
