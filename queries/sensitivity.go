package queries

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// sensitivity returns the L2 sensitivity to calibrate with: the implied one, or a larger declared one.
func (q *counting) sensitivity(adj Adjacency) (calibrate.Sensitivity, error) {
	p := &problem.Problems{Query: q.spec.Name}
	if adj.Check(p); len(p.List) > 0 {
		return calibrate.Sensitivity{}, p.Err()
	}
	if q.constant(adj) {
		p.Add("", problem.CodeConstant, "under replace-one, with each row a unit, the number of all rows is public: there is nothing to protect",
			"leave the query out, or use adjacency add-remove")
		return calibrate.Sensitivity{}, p.Err()
	}
	if q.kernel != nil {
		return q.declared(adj, q.spreadSensitivity(adj))
	}
	sq := sensitivity.SquaredCounts(q.limits, adj, q.cells)
	sens := calibrate.Sensitivity{L2: sensitivity.RootUp(sq), Why: q.why(adj, sq)}
	return q.declared(adj, sens)
}

// norm returns the L2 sensitivity of the counts, or of the sums if the query has some, under some limits.
func (q *counting) norm(l bounding.Limits, adj Adjacency) float64 {
	switch {
	case q.reach != nil:
		return q.reach.Norm(l, adj, q.cells)
	case q.kernel != nil:
		return q.kernel.norm(l, adj)
	}
	return sensitivity.RootUp(sensitivity.SquaredCounts(l, adj, q.cells))
}

// constant says that neighbouring tables always have the same answer: each row is one unit, none comes or goes, and all
// are counted in one cell, for no dimension and no filter can drop one.
func (q *counting) constant(adj Adjacency) bool {
	return adj == ReplaceOne && q.spec.perRow() && len(q.axes) == 0 && !q.spec.Filtered
}

// why is the one-line argument for the implied sensitivity.
func (q *counting) why(adj Adjacency, sq *big.Int) string {
	if q.spec.perRow() {
		return q.whyRow(adj) + ": " + sensitivity.RootText(sq)
	}
	verb := "each " + q.spec.unitName() + " adds "
	if adj == ReplaceOne {
		verb = "each " + q.spec.unitName() + " can change from one to another contribution of "
	}
	return verb + limitsText(q.limits, q.cells) + ": " + sensitivity.RootText(sq)
}

func (q *counting) whyRow(adj Adjacency) string {
	switch {
	case adj == AddRemove:
		return "each row adds 1 to at most one cell"
	case q.cells == 1:
		return "replacing a row changes the one cell by at most 1"
	}
	return "replacing a row changes at most two cells by 1"
}

// limitsText describes the limits: "at most 5 rows, in at most 5 cells, at most 1 a cell".
func limitsText(l bounding.Limits, cells int) string {
	s := "at most " + plural(l.Rows, "row")
	if cells > 1 {
		s += fmt.Sprintf(", in at most %s, at most %d a cell", plural(min(l.Groups, l.Rows), "cell"), l.PerGroup)
	}
	return s
}

// unitName names the privacy unit in messages: "row", "cab_id" or "(cab_id, hour)".
func (s *Spec) unitName() string {
	switch len(s.Unit) {
	case 0:
		return "row"
	case 1:
		return s.Unit[0]
	}
	return "(" + strings.Join(s.Unit, ", ") + ")"
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
