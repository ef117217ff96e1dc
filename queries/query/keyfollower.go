package query

// KeyFollower is a query that adds values up by keys which another query of the job selects. Its accumulators seal
// answers for all keys, which wait for the selection ([mechanism.Exact.ForKeys]). What it states beside its cells does
// not depend on the keys.
type KeyFollower interface {
	Query
	// Leader names the query that selects the keys.
	Leader() string
	// PerKey is the number of cells for each key.
	PerKey() int
	// WithKeys returns the query with the keys that were selected, as [mechanism.Noisy] has them. Only then it has an
	// answer.
	WithKeys(keys []string) (Query, error)
}
