package kinds

import (
	"fmt"

	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// unitAdds returns the words before the contribution of a unit: "each cab_id adds ".
func (q *Base) unitAdds(adj query.Adjacency) string {
	if adj == query.ReplaceOne {
		return q.Spec.EachUnit() + " can change from one to another contribution of "
	}
	return q.Spec.EachUnit() + " adds "
}

// why returns a line that explains a sensitivity that the bounds imply. is is the sensitivity as text.
func (q *Base) why(adj query.Adjacency, is string) string {
	if q.Spec.PerRow() {
		return q.whyRow(adj) + ": " + is
	}
	return q.unitAdds(adj) + q.limitsText() + ": " + is
}

// setL1 sets the L1 sensitivity of a component that counts the rows of cells.
func (q *Base) setL1(c *query.Component, adj query.Adjacency) {
	rows := sensitivity.L1Counts(q.Limits, adj, q.Size)
	c.L1, c.Cost, c.WhyL1 = sensitivity.CeilingOf(rows), float64(c.Cells), q.why(adj, rows.String())
}

func (q *Base) whyRow(adj query.Adjacency) string {
	switch {
	case adj == query.AddRemove:
		return "each row adds 1 to at most one cell"
	case q.Size == 1:
		return "replacing a row changes the one cell by at most 1"
	}
	return "replacing a row changes at most two cells by 1"
}

// limitsText describes the limits in words: "at most 5 rows, in at most 3 cells, at most 2 a cell". It omits a limit
// that follows from the number of rows.
func (q *Base) limitsText() string {
	l := q.Limits
	s := "at most " + q.rowsText()
	if q.Size > 1 && l.Cells < l.Rows {
		s += ", in at most " + spelling.Count(l.Cells, "cell")
	}
	if q.Size > 1 && l.RowsPerCell < l.Rows {
		s += ", at most " + spelling.Integer(l.RowsPerCell) + " a cell"
	}
	return s
}

// rowsText describes in words how many rows a unit adds at most. In a table of counts, it describes how much the unit
// changes the counts.
func (q *Base) rowsText() string {
	if q.Spec.Counts != nil {
		return fmt.Sprint(q.Limits.Rows)
	}
	return spelling.Count(q.Limits.Rows, "row")
}
