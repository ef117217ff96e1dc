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
	CodeContradiction    = "contradiction"
	CodeWrongType        = "wrong-type"
)

// Error describes an error in a step or in a sequence of steps. It depends only on the job's text, never on data.
type Error struct {
	// Code is one of the Code constants. Their values do not change.
	Code    string
	Message string
	// Param names the wrong parameter. It is "" if the step as a whole is wrong.
	Param string
	// Hint is advice on what to do, or "".
	Hint string
}

func (e *Error) Error() string {
	text := e.Message
	if e.Param != "" {
		text = e.Param + ": " + text
	}
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}
