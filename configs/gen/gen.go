// Package gen makes job.schema.json and reference.md from the Go structs of package configs. Only `go generate` uses
// it.
package gen

// Files returns the generated files by name. It reads the sources in the current folder, which must be the folder of
// package configs.
func Files() (map[string][]byte, error) {
	docs, err := readDocs()
	if err != nil {
		return nil, err
	}
	schema, err := jobSchema(docs)
	if err != nil {
		return nil, err
	}
	reference, err := referencePage(docs)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{"job.schema.json": schema, "reference.md": reference}, nil
}
