package pipeline

import (
	"context"
	"io"

	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/domain"
)

// Presenter makes the documents of a release folder: what people and catalogues read beside its tables. Only what is public enters them.
type Presenter interface {
	// Present returns the documents of a release whose tables are the files, by query name. A sink writes them after the tables and before
	// the manifest, which has their digests.
	Present(ctx context.Context, r *Release, files map[string][]manifest.File) ([]Document, error)
}

// Document is a file to write that is no table.
type Document struct {
	// Path is the name of the file in the folder.
	Path string
	// Write writes its content.
	Write func(io.Writer) error
}

// Places are the public points and roads of a query whose cells are the points nearest to a row.
type Places struct {
	// By is the place of the dimension in the query.
	By int
	// Points are in the order of the dimension's cells.
	Points []domain.Point
	// Roads join two points, by their numbers: the edges of the graph along which the estimates were smoothed, if there is one.
	Roads [][2]int
}

// Places returns where the cells of the query lie; nil if they are no points.
func (q *Planned) Places() *Places { return q.places }

// Presented says whether the release has documents.
func (r *Release) Presented() bool { return r.presented }

// keepPlaces notes the points of the query's first dimension that has any.
func (q *Planned) keepPlaces(by []domain.Dimension) {
	for i := range by {
		if by[i].Nearest != nil {
			q.places = &Places{By: i, Points: by[i].Nearest.Points}
			return
		}
	}
}
