// Package gen makes job.schema.json and the reference page of the job file from the Go structs of package configs. Only
// `go generate` uses it.
package gen

// referenceFile is the path of the reference page from the folder of package configs.
const referenceFile = "../docs/reference/job-file.md"

// Files returns the generated files; the keys are their paths from the folder of package configs. The current folder
// must be that folder.
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
	return map[string][]byte{"job.schema.json": schema, referenceFile: reference}, nil
}
