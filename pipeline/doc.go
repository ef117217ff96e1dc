// Package pipeline turns a job into a plan, and noisy values into a release. A Plan holds everything decided before a
// row is read, a Release everything that is public afterwards. Private data exists only in between, behind
// mechanism.Exact.
//
//	Job -> New -> Plan -> Engine.Aggregate -> mechanism.AddNoise -> RunPlan.Release -> Sink
//
// internal/protocol runs these steps under the ledger's rules; pipeline/manifest is the release's description of
// itself.
package pipeline
