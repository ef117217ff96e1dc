// Package pipeline turns a job into a release: Plan is everything decided before a row is read, Run carries a plan out
// under the ledger's protocol, Release is everything that is public afterwards. Private data exists only in between,
// behind mechanism.Exact.
//
//	Job -> New -> Plan -> Engine.Aggregate -> Exact.Noise -> denoise -> Release -> Sink
package pipeline
