package yamltree

// These are the codes of the faults that the decoder finds.
const (
	CodeBadValue     = "bad-value"
	CodeDuplicateKey = "duplicate-key"
	CodeMissing      = "missing"
	CodeMissingEnv   = "missing-env"
	CodeUnknownKey   = "unknown-key"
	CodeUnknownParam = "unknown-param"
	CodeWrongType    = "wrong-type"
	CodeYAML         = "yaml"
)
