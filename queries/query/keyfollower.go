package query

// KeyFollower is a query that adds values up by keys that another query of the job selects. Hide returns exact answers
// for all keys; they get noise after the selection, for the selected keys alone ([mechanism.Exact.ForKeys]). Only the
// cells depend on the keys, the sensitivities do not.
type KeyFollower interface {
	Query
	// Leader is the name of the query that selects the keys.
	Leader() string
	// PerKey is the number of cells for each key.
	PerKey() int
	// WithKeys returns the query with the selected keys, which are in the form that [mechanism.Noisy] has. Only the
	// returned query has an answer.
	WithKeys(keys []string) (Query, error)
}

// KeyWeigher is a query that can select keys by totals of weights. A unit with d keys adds the weight w[d-1] to each of
// them, instead of 1. The weights depend on the noise of the selection.
type KeyWeigher interface {
	Query
	// WithWeights returns the query with these weights ([calibrate.KeySelection.Weights]). If the component of a query
	// is Weighted, keys are selected from the totals of that query alone.
	WithWeights(weights []int64) Query
}
