package protocol

import (
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/pipeline"
)

// attempt is the state of one run in progress.
type attempt struct {
	*Runner
	plan *pipeline.Plan
	// chosen holds the clamps and bounds that were chosen from noisy values, and the queries with these choices; nil
	// before the noise is drawn.
	chosen *pipeline.RunPlan
	dir    string
	// newRelease is set if the operator requests a new release.
	newRelease bool
	// compare is set if the operator asks whether the input of a published release has changed.
	compare bool
	// refuse is set if an unusable column must end the run before noise is drawn.
	refuse bool
	checks *pipeline.DataChecks // the data checks of this run's scan
	// waiting is the staging folder of a new release that was requested and interrupted, if this run leaves it for a
	// later run; else "".
	waiting string
	// rerenderStagings are the staging folders of the run's re-renderings. If a run was killed while it exchanged
	// folders, its staging folder may hold the older release.
	rerenderStagings []string

	version string // version of the input that this run reads; "" if the input has no versions
	gone    string // version that an earlier attempt was charged for, if it no longer exists

	prior ledger.Run      // the release that this run repeats, resumes or follows; the zero Run if there is none
	own   ledger.Run      // the newest release with the plan's fingerprint, cancelled or not
	same  []publication   // publications in the plan's rendering, those of the newest release first
	older bool            // a release other than prior is published
	ours  map[string]bool // digests of the manifests of all publications of the run's fingerprint

	receipt ledger.Receipt
	drawn   bool // noise may have been drawn under the receipt
	// discarded is set if the run deleted a staging folder that no run of this ledger wrote.
	discarded bool
	// finished is set if this run has published a release that an earlier run had sealed
	finished bool
	// forsaken is set if the newest release is sealed but its files are lost, and a new release was requested instead.
	forsaken bool
}

// publication is a published folder of a run, in the plan's rendering.
type publication struct {
	run        ledger.Run // the run whose noisy values it shows
	dir        string
	digest     string // the SHA-256 of its manifest
	rerendered bool   // the publication is a re-rendering of an earlier one
}

func (a *attempt) published() bool { return a.prior.State == ledger.Published }

func (a *attempt) reserved() bool { return a.prior.State == ledger.Reserved }

func (a *attempt) sealed() bool { return a.prior.State == ledger.Sealed && !a.forsaken }

// number returns the number of the release in progress. An interrupted release keeps its number when it is resumed.
func (a *attempt) number() int {
	switch {
	case a.reserved(), a.sealed():
		return a.prior.Charge.Number
	case a.own.State == "":
		return 1
	case a.own.State == ledger.Cancelled:
		return a.own.Charge.Number
	default:
		return a.own.Charge.Number + 1
	}
}
