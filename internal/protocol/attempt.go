package protocol

import (
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/pipeline"
)

// attempt is one run in progress.
type attempt struct {
	*Runner
	plan *pipeline.Plan
	// chosen holds the choices from noisy values, and the queries that follow from them; nil before the noise is drawn.
	chosen *pipeline.RunPlan
	dir    string
	// newRelease is set if a new release is requested
	newRelease bool
	// compare is set if the operator asks whether the input of a published release has changed.
	compare bool
	// refuse is set if an unusable column must end the run before noise is drawn
	refuse bool
	checks *pipeline.DataChecks // the data checks of this run's scan
	// waiting is the staging folder of an interrupted new release, which this run leaves to a later one; "" if there is
	// none.
	waiting string
	// rerenderStagings are the staging folders of the run's re-renderings. If a run was killed, its staging folder may
	// hold the older release with which the new one changed places.
	rerenderStagings []string

	version string // the version of the input that this run reads; "" if the input keeps no versions
	gone    string // the version that an earlier attempt was charged for, if the input no longer has it

	prior ledger.Run      // the release that the run starts from; the zero Run if the ledger has none
	own   ledger.Run      // the newest release with the plan's fingerprint, cancelled or not
	same  []publication   // the publications in the plan's rendering, the newest release first
	older bool            // another release than prior is published
	ours  map[string]bool // manifest digests of all publications of the run

	receipt ledger.Receipt
	drawn   bool // noise may have been drawn under the receipt
	// discarded is set if the run deleted a staging folder that no run of this ledger made.
	discarded bool
	// finished is set if this run has published a release that an earlier run had sealed
	finished bool
	// forsaken is set if the newest release is sealed but its files are lost, and a new release is requested
	forsaken bool
}

// publication is one published folder of a run in the rendering of the plan.
type publication struct {
	run        ledger.Run // the run whose noisy values it shows
	dir        string
	digest     string // the SHA-256 of its manifest
	rerendered bool   // it was made from the noisy values of an earlier publication
}

func (a *attempt) published() bool { return a.prior.State == ledger.Published }

func (a *attempt) reserved() bool { return a.prior.State == ledger.Reserved }

func (a *attempt) sealed() bool { return a.prior.State == ledger.Sealed && !a.forsaken }

// number returns the number of the release in progress; a release that was cut short is resumed under its number.
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
