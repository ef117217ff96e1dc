package configs

import (
	_ "embed"
	"slices"
)

//go:embed job.schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of job files.
func Schema() []byte { return slices.Clone(schema) }
