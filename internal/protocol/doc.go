// Package protocol carries plans out: once. A run reserves its spend in the ledger, reads the input, draws the noise,
// stages the release, seals it and publishes it. After a crash at any point the next run of the same plan goes on where
// this one stopped. So a published release is never charged twice and never drawn twice.
//
//	lookup (found.go) -> settle what an earlier run left (seal.go) -> repeat (repeat.go), derive (derive.go) or release (run.go, answer.go)
//
// What a plan is, and how noisy values become a release, is package pipeline's to say; this one only knows in which
// order things become durable.
package protocol
