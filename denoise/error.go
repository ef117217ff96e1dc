package denoise

// The codes of an [Error].
const (
	CodeUnknownMethod    = "unknown-method"
	CodeUnknownParameter = "unknown-parameter"
	CodeBadValue         = "bad-value"
	CodeOrder            = "denoise-order"
	CodeShape            = "bad-shape"
	CodeNeedsOrder       = "needs-order"
	CodeNeedsGraph       = "needs-graph"
	CodeMissing          = "missing-parameter"
	CodeTooLarge         = "too-large"
	CodeNoise            = "other-noise"
)

// Error says what is wrong with a step or with the order of steps. It depends on the job's text alone.
type Error struct {
	// Code is one of the Code constants, which do not change.
	Code    string
	Message string
	// Hint says what to do, if that is known.
	Hint string
}

// Error returns the message and the hint.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + " (" + e.Hint + ")"
}
