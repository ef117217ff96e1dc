package report

import (
	"context"
	"io"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// IndexName is the file of the page.
const IndexName = "index.html"

// Presenter makes the documents of releases as they are staged. It has no state.
type Presenter struct{}

var _ pipeline.Presenter = Presenter{}

// Present makes the documents of a release.
func (Presenter) Present(_ context.Context, r *pipeline.Release, files map[string][]manifest.File) ([]pipeline.Document, error) {
	m := r.Manifest(files)
	var tables []*Table
	results := r.Results()
	for i := range results {
		tables = append(tables, tablesOf(&results[i])...)
	}
	page := &Page{Manifest: &m, Tables: tables}
	return []pipeline.Document{{Path: IndexName, Write: func(w io.Writer) error { return page.Write(w) }}}, nil
}
