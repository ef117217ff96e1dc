package protocol

import (
	"context"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// Runner carries plans out. Every field but Identify, Signer and Announce is needed.
type Runner struct {
	Book *ledger.Book
	Sink pipeline.Sink
	// Open opens the input; ErrInputGone if its files are not there any more.
	Open     func(ctx context.Context) (pipeline.Engine, error)
	Observer pipeline.Observer
	// Workers is the number of goroutines that draw noise.
	Workers int
	Program manifest.Program
	// Identify sets Program when a release is made, since that takes longer than repeating a release; nil if Program is
	// set already.
	Identify func() manifest.Program
	// Signer signs the manifests of new releases; nil: they are not signed.
	Signer pipeline.Signer
	// Announce, if not nil, is called with the coming charge, or with the charge under which a run resumes, before it
	// takes effect. An error ends the run, at no cost.
	Announce func(Standing) error
}

// Request is one run of a plan.
type Request struct {
	Plan *pipeline.Plan
	// Dir is the absolute path of the release folder.
	Dir string
	// NewRelease asks for a new release of a run that was released before, and pays for it again.
	NewRelease bool
	// CompareInput reads the input of a published run, and ends with an error if the input has changed since or is
	// missing. A run that is not published is refused, at no cost. Whether the input changed is a fact about private
	// data; it is told without noise or charge, any number of times, so it is for the operator alone. Without
	// CompareInput, a published run is repeated without opening its input.
	CompareInput bool
	// Refuse ends the run before any noise if the data leave a column unusable for a query that needs it
	// ([pipeline.Plan.Findings]); the engine must look at all rows. Whether a release appears then depends on the rows,
	// and its readers see it.
	Refuse bool
}

// Status describes how a run ended.
type Status string

// The ways in which a run ends well.
const (
	// StatusReleased: the release was made by this run.
	StatusReleased Status = "released"
	// StatusFinished: an earlier run drew the noise and was interrupted; this run published its release.
	StatusFinished Status = "finished"
	// StatusAlready: the release existed already; nothing was spent.
	StatusAlready Status = "already-released"
	// StatusCopied: the release was published elsewhere; its bytes were copied, nothing was spent.
	StatusCopied Status = "copied"
	// StatusRerendered: the run was published in another rendering; this one was made from its noisy values, nothing
	// was spent.
	StatusRerendered Status = "rerendered"
)

// Outcome is what a run did.
type Outcome struct {
	Status Status
	Dir    string
	// Digest is the SHA-256 of the release's manifest.
	Digest string
	// Moved is where an older release of the folder was put; "" if there was none.
	Moved string
	// Release is what this run made, and Queries are its queries with what was chosen for them; nil if it made none.
	Release *pipeline.Release
	Queries []pipeline.Planned
	// Discarded is true if a complete staging folder was deleted, because no run of this ledger made it, or an earlier
	// version did. Noise was drawn anew under the same charge.
	Discarded bool
	// Gone is the version of the input that an earlier attempt was charged for, if the input no longer has it and this
	// run read the newest one instead; else "".
	Gone string
	// From is the folder from whose noisy values a re-rendering was made; else "".
	From string
	// Checks is what the engine tallied for the operator; nil if it was not asked to, or if this run made no release.
	Checks *pipeline.DataChecks
}

func (r *Runner) program() manifest.Program {
	if r.Identify != nil {
		return r.Identify()
	}
	return r.Program
}
