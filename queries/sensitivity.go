package queries

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/problem"
)

// largestNorm returns g(a), the largest squared L2 norm of a vector of row counts in at most a cells, each at most m, their
// sum at most k:
//
//	g(a) = f·m² + r²,  f = min(a, floor(k/m)),  r = k − f·m if f < a, else 0
//
// The norm is convex, so it is largest at a corner of the set: as many full cells as fit, and the rest in one more.
func largestNorm(l bounding.Limits, a int64) *big.Int {
	full := min(a, l.Rows/l.PerGroup)
	rest := int64(0)
	if full < a {
		rest = l.Rows - full*l.PerGroup
	}
	m := big.NewInt(l.PerGroup)
	sum := new(big.Int).Mul(m, m)
	sum.Mul(sum, big.NewInt(full))
	r := big.NewInt(rest)
	return sum.Add(sum, r.Mul(r, r))
}

// squaredNorm returns the squared L2 sensitivity over a domain of some cells.
//
// Add-remove: g(L). Replace-one: the largest ‖c − c′‖² over two vectors c, c′ within the limits. Counts are not negative, so
// it is largest if no cell holds both: g(min(b, L)) + g(min(cells − b, L)) with c in b cells. g is concave in a (its
// steps are m², …, m², r², 0, …), so the best b is half the cells.
func squaredNorm(l bounding.Limits, adj Adjacency, cells int) *big.Int {
	if adj == AddRemove {
		return largestNorm(l, l.Groups)
	}
	half := int64(cells) / 2
	one, other := largestNorm(l, min(half, l.Groups)), largestNorm(l, min(int64(cells)-half, l.Groups))
	return one.Add(one, other)
}

// rootUp returns the smallest float64 that is not below the square root of x ≥ 0.
func rootUp(x *big.Int) float64 {
	root := new(big.Float).SetPrec(256).SetInt(x)
	root.Sqrt(root)
	up, _ := new(big.Float).SetPrec(53).SetMode(big.ToPositiveInf).Set(root).Float64()
	for square(up).Cmp(new(big.Rat).SetInt(x)) < 0 {
		up = math.Nextafter(up, math.Inf(1))
	}
	return up
}

// square returns x² exactly; x is finite.
func square(x float64) *big.Rat {
	r := new(big.Rat)
	r.SetFloat64(x)
	return r.Mul(r, r)
}

// sensitivity returns the L2 sensitivity to calibrate with: the implied one, or a larger declared one.
func (q *counting) sensitivity(adj Adjacency) (calibrate.Sensitivity, error) {
	p := &problem.Problems{Query: q.spec.Name}
	if adj.check(p); len(p.List) > 0 {
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
	sq := squaredNorm(q.limits, adj, q.cells)
	sens := calibrate.Sensitivity{L2: rootUp(sq), Why: q.why(adj, sq)}
	return q.declared(adj, sens)
}

// norm returns the L2 sensitivity of the counts, or of the sums if the query has some, under some limits.
func (q *counting) norm(l bounding.Limits, adj Adjacency) float64 {
	switch {
	case q.reach != nil:
		return q.reach.norm(l, adj, q.cells)
	case q.kernel != nil:
		return q.kernel.norm(l, adj)
	}
	return rootUp(squaredNorm(l, adj, q.cells))
}

// constant says that neighbouring tables always have the same answer: each row is one unit, none comes or goes, and all
// are counted in one cell, for no dimension and no filter can drop one.
func (q *counting) constant(adj Adjacency) bool {
	return adj == ReplaceOne && q.spec.perRow() && len(q.axes) == 0 && !q.spec.Filtered
}

// why is the one-line argument for the implied sensitivity.
func (q *counting) why(adj Adjacency, sq *big.Int) string {
	if q.spec.perRow() {
		return q.whyRow(adj) + ": " + rootText(sq)
	}
	verb := "each " + q.spec.unitName() + " adds "
	if adj == ReplaceOne {
		verb = "each " + q.spec.unitName() + " can change from one to another contribution of "
	}
	return verb + limitsText(q.limits, q.cells) + ": " + rootText(sq)
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

// rootText writes the root of x: a whole number, or "sqrt(x)".
func rootText(x *big.Int) string {
	root := new(big.Int).Sqrt(x)
	if new(big.Int).Mul(root, root).Cmp(x) == 0 {
		return root.String()
	}
	return "sqrt(" + x.String() + ")"
}
