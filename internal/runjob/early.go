package runjob

import (
	"maps"
	"slices"
	"time"

	"github.com/dprelease/dprelease/pipeline"
)

// RefuseEarly refuses a plan whose day, month or year is not over at a time: its release would be of the rows so far,
// and rows that come later would need a second charge.
func RefuseEarly(plan *pipeline.Plan, now time.Time) error {
	job := plan.Job()
	for _, name := range slices.Sorted(maps.Keys(job.Params)) {
		param := job.Params[name]
		value := plan.Params()[name]
		if param.Type != "date" {
			continue
		}
		windows, err := param.Windows(value, value)
		if err != nil || len(windows) == 0 {
			continue // no window: the job was checked, so that this cannot be
		}
		if end := InZone(windows[0].End, plan.Location()); now.Before(end) {
			return &pipeline.Error{Cause: pipeline.CauseInput, Code: "not-over",
				Message: "the data interval " + value + " of parameter " + name + " ends on " + end.Format(time.RFC3339) +
					", which is still to come",
				Hint: "nothing was spent; run it when it is over, or release what is there now with --incomplete: a release is " +
					"made once, so that rows that come later are never in it"}
		}
	}
	return nil
}

// InZone is the same date and time of day in a zone.
func InZone(t time.Time, zone *time.Location) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, zone)
}
