package protocol

import (
	"context"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// Runner runs plans. Every field but Identify, Signer and Announce is required.
type Runner struct {
	Book *ledger.Book
	Sink pipeline.Sink
	// Open opens the input; ErrInputGone if nothing of it is there.
	Open     func(ctx context.Context) (pipeline.Engine, error)
	Observer pipeline.Observer
	// Workers is the number of goroutines that draw noise.
	Workers int
	Program manifest.Program
	// Identify returns the value for Program when a release is made, since it takes longer to compute than to repeat a
	// release; nil if Program is set already.
	Identify func() manifest.Program
	// Signer signs the manifests of new releases. If it is nil, they are not signed.
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
	// NewRelease requests a new release of a run that was released before, which is charged again.
	NewRelease bool
	// CompareInput reads the input of a published run, and returns an error if the input has changed since or is
	// missing. A run that is not published is refused, at no cost. Whether the input changed is a fact about private
	// data, revealed without noise or charge. So CompareInput is for the operator alone; without it, a published run is
	// repeated without opening its input.
	CompareInput bool
	// Refuse makes the run fail, before it draws noise, if the data make a column unusable for a query that needs it
	// ([pipeline.Plan.Findings]). The engine must then look at all rows. Whether a release appears depends on the rows,
	// and readers can see that.
	Refuse bool
}

// Status tells what a successful run did.
type Status string

// The values of [Status].
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
	// Moved is the folder to which an older release was moved aside; "" if there was none.
	Moved string
	// Release is the release that this run made, and Queries are its queries with the clamps and bounds that were
	// chosen; nil if it made none.
	Release *pipeline.Release
	Queries []pipeline.Planned
	// Discarded is true if the run deleted a complete staging folder, because no run of this ledger, or an earlier
	// version of the program, wrote it. Noise was then drawn anew under the same charge.
	Discarded bool
	// Gone is the version of the input that an earlier attempt was charged for, if the input no longer has it and this
	// run read the newest one instead; else "".
	Gone string
	// From is the folder from whose noisy values a re-rendering was made; else "".
	From string
	// Checks is what the engine found in the data, for the operator; nil if it was not asked to, or if this run made no
	// release.
	Checks *pipeline.DataChecks
}

func (r *Runner) program() manifest.Program {
	if r.Identify != nil {
		return r.Identify()
	}
	return r.Program
}
