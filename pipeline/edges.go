package pipeline

import (
	"errors"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/denoise"

	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/query"
)

const codePublicFile = "public-file"

// network reads the edge list of a denoising step's graph. It returns nil if something is wrong with the list.
func (b *builder) network(g *configs.Graph, planned *Planned, path string) *denoise.Graph {
	q := planned.Query
	axis, ids := named(q)
	if axis < 0 {
		b.report(path, "contradiction", "edges join the cells of one dimension of values, values_from or nearest",
			"leave graph out: neighbours along an order are joined without it")
		return nil
	}
	l, before := edgeList{Graph: g}, len(b.diags)
	b.presents = true
	defer func() { b.presents = false }()
	l.Froms, l.Tos = b.wholeColumn(g.Edges, g.From, path+".from"), b.wholeColumn(g.Edges, g.To, path+".to")
	l.Lengths, l.Weights = b.optionalColumn(g.Edges, g.Length, path+".length"), b.optionalColumn(g.Edges, g.Weight,
		path+".weight")
	if len(b.diags) > before {
		return nil
	}
	edges, err := l.Edges(ids)
	if err == nil {
		var network *denoise.Graph
		if network, err = denoise.NewGraph(shapeOf(q), axis, edges); err == nil {
			planned.keepRoads(edges)
			return network
		}
		var e *denoise.EdgeError
		if errors.As(err, &e) {
			err = l.At(e.Index, e.Reason)
		}
	}
	b.report(path+".edges", codePublicFile, err.Error(), "each row of an edge list is one edge: the keys of two "+
		"cells, as they stand in the release, and optionally a length and a weight")
	return nil
}

// optionalColumn reads a public column; it returns nil if the job names no column.
func (b *builder) optionalColumn(file, column, path string) []string {
	if column == "" {
		return nil
	}
	return b.publicValues(file, column, path, true)
}

// named returns the only dimension of a query whose cells a file can name by one key each, and these keys. axis is -1
// if there is no such dimension, or more than one.
func named(q query.Query) (axis int, ids []string) {
	axis = -1
	for i, a := range queries.Directions(q) {
		if a.IDs == nil {
			continue
		}
		if axis >= 0 {
			return -1, nil
		}
		axis, ids = i, a.IDs
	}
	return axis, ids
}

// keepRoads stores the pairs of points that edges connect, so that maps can draw them.
func (q *Planned) keepRoads(edges []denoise.Edge) {
	if q.places == nil || q.places.Roads != nil {
		return
	}
	for _, e := range edges {
		if max(e.U, e.V) < len(q.places.Points) { // the null cell and the other cell have no position
			q.places.Roads = append(q.places.Roads, [2]int{e.U, e.V})
		}
	}
}
