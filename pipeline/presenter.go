package pipeline

import (
	"context"
	"io"

	"github.com/dprelease/dprelease/pipeline/manifest"
)

// Presenter makes the documents of a release folder, such as a web page and a catalogue entry. They contain only public
// facts.
type Presenter interface {
	// Present returns the documents of a release. files are the files of its tables, by query name. A sink writes the
	// documents after the tables and before the manifest, which has the digests of both.
	Present(ctx context.Context, r *Release, files map[string][]manifest.File) ([]Document, error)
}

// Document is a file of a release that is not a table.
type Document struct {
	// Path is the name of the file in the release folder.
	Path string
	// Write writes the file's content.
	Write func(io.Writer) error
}
