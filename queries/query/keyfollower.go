package query

// KeyFollower is a query that adds values up by keys which another query of the job selects. Hide returns exact answers
// for all keys, which wait for the selection ([mechanism.Exact.ForKeys]). Only the cells depend on the keys.
type KeyFollower interface {
	Query
	// Leader names the query that selects the keys.
	Leader() string
	// PerKey is the number of cells for each key.
	PerKey() int
	// WithKeys returns the query for the selected keys, as [mechanism.Noisy] has them. Only that query has an answer.
	WithKeys(keys []string) (Query, error)
}

// KeyWeigher is a query that may select keys by weights of units, which follow from its noise.
type KeyWeigher interface {
	Query
	// WithWeights returns the query with these weights ([calibrate.KeySelection.Weights]). If the component of a query
	// is Weighted, keys are selected from the totals of that query alone.
	WithWeights(weights []int64) Query
}
