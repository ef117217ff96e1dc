package command

import (
	"fmt"

	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/query"
)

// cellCount formats the number of cells of a query or, if keys are discovered, the threshold of their noisy counts.
func cellCount(q *pipeline.Planned) string {
	if q.Selection != nil {
		text := "keys ≥ " + spelling.Up(q.Threshold(), 6)
		if q.Selection.Weighted {
			text += " in weight"
		}
		if least := q.Selection.Least(); least > 1 {
			text += " of " + spelling.Count(least, "unit") + " or more"
		}
		return text
	}
	if f, ok := q.Query.(query.KeyFollower); ok {
		cells := "keys of " + f.Leader()
		if f.PerKey() > 1 {
			cells += fmt.Sprintf(" × %d", f.PerKey())
		}
		return cells
	}
	return spelling.Integer(q.Query.Cells())
}

// keysOf returns the name of the query that selects the keys of q; "" if q selects or lists them itself.
func keysOf(q *pipeline.Planned) string {
	if f, ok := q.Query.(query.KeyFollower); ok {
		return f.Leader()
	}
	return ""
}

// atMost is printed before a half-width that depends on choices of the run: the plan knows only an upper bound.
const atMost = "at most "

// halfWidth formats half the width of a cell's 95 % interval; for a mean, with the number of rows by which it must be
// divided.
func halfWidth(q *pipeline.Planned) string {
	half, perRow := q.HalfWidth()
	text := spelling.Up(half, 4)
	if _, _, weighted := kinds.Weights(q.Query); weighted && perRow {
		text += " / weights"
	} else if perRow {
		text += " / rows"
	}
	if q.Search != nil && q.Search.Result == nil {
		text = atMost + text
	}
	return text
}
