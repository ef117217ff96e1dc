package pipeline

import (
	"context"
	"io"

	"github.com/dprelease/dprelease/pipeline/manifest"
)

// Presenter makes the documents of a release folder that people and catalogues read besides its tables. They contain
// only public facts.
type Presenter interface {
	// Present returns the documents of a release whose tables are the files, by query name. A sink writes them after
	// the tables and before the manifest, which has their digests.
	Present(ctx context.Context, r *Release, files map[string][]manifest.File) ([]Document, error)
}

// Document is a file that is not a table.
type Document struct {
	// Path is the name of the file in the folder.
	Path string
	// Write writes its content.
	Write func(io.Writer) error
}
