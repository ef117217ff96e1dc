// Package pipeline turns a job into a plan, and noisy values into a release. Plan is everything decided before a row is
// read, Release is everything that is public afterwards. Private data exists only in between, behind mechanism.Exact.
//
//	Job -> New -> Plan -> Engine.Aggregate -> mechanism.AddNoise -> Plan.Release -> Sink
//
// internal/protocol goes this way under the ledger's rules; pipeline/manifest is what a release says of itself.
package pipeline
