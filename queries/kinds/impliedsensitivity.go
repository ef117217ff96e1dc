package kinds

import (
	"fmt"
	"math/big"

	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// why returns a line that explains the sensitivity that the bounds imply. sq is the squared sensitivity.
func (q *Base) why(adj query.Adjacency, sq *big.Int) string {
	if q.Spec.PerRow() {
		return q.whyRow(adj) + ": " + sensitivity.RootText(sq)
	}
	verb := q.Spec.EachUnit() + " adds "
	if adj == query.ReplaceOne {
		verb = q.Spec.EachUnit() + " can change from one to another contribution of "
	}
	return verb + q.limitsText() + ": " + sensitivity.RootText(sq)
}

// setL1 sets the L1 sensitivity of a component that counts the rows of cells.
func (q *Base) setL1(c *query.Component, adj query.Adjacency) {
	rows := sensitivity.L1Counts(q.Limits, adj, q.Size)
	c.L1, c.Cost = sensitivity.CeilingOf(rows), float64(c.Cells)
	who := q.Spec.EachUnit() + " adds "
	if adj == query.ReplaceOne {
		who = q.Spec.EachUnit() + " can change from one to another contribution of "
	}
	if c.WhyL1 = who + q.limitsText() + ": " + rows.String(); q.Spec.PerRow() {
		c.WhyL1 = q.whyRow(adj) + ": " + rows.String()
	}
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
