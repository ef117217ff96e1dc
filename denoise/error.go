package denoise

// The codes of an [Error].
const (
	CodeUnknownMethod    = "unknown-method"
	CodeUnknownParameter = "unknown-parameter"
	CodeBadValue         = "bad-value"         // a parameter's value is out of range or not a known word
	CodeOrder            = "denoise-order"     // an earlier step has changed the noise that a step needs
	CodeShape            = "bad-shape"         // the dimensions do not fit the values
	CodeNeedsOrder       = "needs-order"       // the method needs cells in an order
	CodeNeedsGraph       = "needs-graph"       // the method needs a graph, or a graph is given that it cannot use
	CodeMissing          = "missing-parameter" // a parameter has no default and no value
	CodeTooLarge         = "too-large"         // there are too many cells, or the method cannot compute in parts
	CodeNoise            = "other-noise"       // the step is for Gaussian noise
	CodeContradiction    = "contradiction"     // a parameter does not go with the method or with another parameter
	CodeWrongType        = "wrong-type"        // a parameter's value is of another type, such as text for a number
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

// Error returns the parameter's name, the message and the hint in one line.
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
