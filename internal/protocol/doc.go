// Package protocol runs each plan once. A run reserves its spend in the ledger, reads the input, draws the noise,
// stages the release, seals it in the ledger and publishes it. After a crash at any point the next run of the same plan
// resumes. So a published release is never charged twice and its noise never drawn twice.
//
//	lookup (lookup.go) -> finish what an earlier run left (resume.go) -> decide (next.go)
//	    -> repeat (repeat.go), re-render (rerender.go) or release (run.go, charge.go, answer.go, staging.go, publish.go)
//
// Package pipeline defines plans and makes releases from noisy values; this package only knows the order in which
// things become durable.
package protocol
