package protocol

import (
	"fmt"
	"time"

	"github.com/dprelease/dprelease/pipeline"
)

// withdrawn returns an error if the run's newest release was withdrawn. A run does not repeat a withdrawn release, and
// makes a new one only on request, since that is charged again.
func (a *attempt) withdrawn() error {
	if !a.published() || a.prior.Withdrawn == nil {
		return nil
	}
	w := a.prior.Withdrawn
	return &pipeline.Error{
		Cause: pipeline.CauseCheck,
		Code:  "withdrawn",
		Message: fmt.Sprintf("the release of this job, at %s, was withdrawn on %s: %s", a.prior.Charge.Dir,
			w.At.UTC().Format(time.DateOnly), w.Reason),
		Hint: "nothing was spent now, and what it cost stays spent; mend what was wrong, and then pay for a new release " +
			"with --new-release, which moves the withdrawn one aside",
	}
}
