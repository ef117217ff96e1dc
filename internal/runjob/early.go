package runjob

import (
	"maps"
	"slices"
	"time"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/domain"
)

// RefuseEarly returns an error if the plan's data interval (a day, month or year) has not ended at now: the release
// would contain only the rows so far, and later rows would need a second charge.
func RefuseEarly(plan *pipeline.Plan, now time.Time) error {
	job := plan.Job()
	for _, name := range slices.Sorted(maps.Keys(job.Params)) {
		param := job.Params[name]
		value := plan.Params()[name]
		if param.Type != "date" {
			continue
		}
		windows, err := param.DataIntervals(value, value)
		if err != nil || len(windows) == 0 {
			continue // cannot happen: the job's checks exclude it
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

// InZone returns the instant at which the date of t begins in a zone. t is midnight of that date in UTC.
func InZone(t time.Time, zone *time.Location) time.Time {
	midnight, _ := domain.InZone(t, zone)
	return midnight
}
