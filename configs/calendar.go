package configs

import (
	"fmt"
	"time"

	"github.com/dprelease/dprelease/configs/internal/wording"
)

// calendarSteps are the steps that `every` allows, each in months or in days.
var calendarSteps = map[string]struct{ months, days int }{
	"day": {0, 1}, "week": {0, 7}, "month": {1, 0}, "quarter": {3, 0}, "year": {12, 0},
}

// byCalendar returns the edges of calendar cells: first, then one edge after each step, up to last. A step of months
// must start on a day that every month has; otherwise an edge would move to the end of a shorter month.
func byCalendar(first, last, every string) ([]string, *flaw) {
	from, flaw := readDay("from", first)
	if flaw != nil {
		return nil, flaw
	}
	to, flaw := readDay("to", last)
	if flaw != nil {
		return nil, flaw
	}
	if !from.Before(to) {
		return nil, newFlaw("to", "must be a later day than from", "")
	}
	step := calendarSteps[every]
	if step.months > 0 && from.Day() > 28 {
		return nil, newFlaw("from", "is a day that some months do not have",
			"begin on the 1st, or on another day up to the 28th")
	}
	var edges []string
	for i := 0; ; i++ {
		edge := from.AddDate(0, i*step.months, i*step.days)
		edges = append(edges, edge.Format(time.DateOnly))
		switch {
		case edge.Equal(to):
			return edges, nil
		case edge.After(to):
			return nil, newFlaw("to", "is not a whole number of steps after from",
				fmt.Sprintf("write to: %s or to: %s", edges[len(edges)-2], edges[len(edges)-1]))
		case len(edges) > maxCells:
			return nil, newFlaw("every", fmt.Sprintf("makes more than %d cells", maxCells), "use a longer step")
		}
	}
}

func newFlaw(key, text, hint string) *flaw { return &flaw{key, text, hint} }

func readDay(key string, text string) (time.Time, *flaw) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return day, newFlaw(key, "must be a day, is "+wording.Quote(text),
			"write it as 2024-01-31; with numbers use width instead of every")
	}
	return day, nil
}
