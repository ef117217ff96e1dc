package configs

// These are the codes of the faults that the decoder finds.
const (
	codeBadValue     = "bad-value"
	codeDuplicateKey = "duplicate-key"
	codeMissing      = "missing"
	codeMissingEnv   = "missing-env"
	codeUnknownKey   = "unknown-key"
	codeUnknownParam = "unknown-param"
	codeWrongType    = "wrong-type"
	codeYAML         = "yaml"
)
