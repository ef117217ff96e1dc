package pipeline

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/queries"
)

const codePublicFile = "public-file"

// network reads the edge list of a step; nil if something is wrong with it.
func (b *builder) network(g *configs.Graph, planned *Planned, path string) *denoise.Graph {
	q := planned.Query
	axis, ids := named(q)
	if axis < 0 {
		b.report(path, "contradiction", "edges join the cells of one dimension of values, values_from or nearest", "leave graph out: neighbours along an order are joined without it")
		return nil
	}
	l, before := edgeList{Graph: g}, len(b.diags)
	b.presents = true
	defer func() { b.presents = false }()
	l.from, l.to = b.publicColumn(g.Edges, g.From, path+".from"), b.publicColumn(g.Edges, g.To, path+".to")
	l.length, l.weight = b.optionalColumn(g.Edges, g.Length, path+".length"), b.optionalColumn(g.Edges, g.Weight, path+".weight")
	if len(b.diags) > before {
		return nil
	}
	edges, err := l.edges(ids)
	if err == nil {
		var network *denoise.Graph
		if network, err = denoise.NewGraph(shapeOf(q), axis, edges); err == nil {
			planned.keepRoads(edges)
			return network
		}
		var e *denoise.EdgeError
		if errors.As(err, &e) {
			err = l.at(e.Index, e.Reason)
		}
	}
	b.report(path+".edges", codePublicFile, err.Error(), "an edge list has a row an edge: two cells by their keys as they stand in the release, and optionally a length and a weight")
	return nil
}

// optionalColumn is nil if the job names none.
func (b *builder) optionalColumn(file, column, path string) []string {
	if column == "" {
		return nil
	}
	return b.publicColumn(file, column, path)
}

// named returns the one direction of a query whose cells have one key each that a file can name, and those keys; -1: there
// is none, or there are several.
func named(q queries.Query) (axis int, ids []string) {
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

// edgeList is a public list of edges, column by column.
type edgeList struct {
	*configs.Graph
	from, to, length, weight []string
}

// edges translates keys into numbers of cells.
func (l edgeList) edges(ids []string) ([]denoise.Edge, error) {
	for name, column := range map[string][]string{l.To: l.to, l.Length: l.length, l.Weight: l.weight} {
		if name != "" && len(column) != len(l.from) {
			return nil, errors.New(filepath.Base(l.Edges) + ": an edge has no value in one of its columns")
		}
	}
	cell := make(map[string]int, len(ids))
	for i, id := range ids {
		cell[id] = i
	}
	edges := make([]denoise.Edge, len(l.from))
	for i := range edges {
		var err error
		if edges[i], err = l.edge(i, cell); err != nil {
			return nil, err
		}
	}
	return edges, nil
}

func (l edgeList) edge(i int, cell map[string]int) (denoise.Edge, error) {
	e := denoise.Edge{W: 1}
	for _, end := range []struct {
		column, id string
		cell       *int
	}{{l.From, l.from[i], &e.U}, {l.To, l.to[i], &e.V}} {
		k, known := cell[end.id]
		if !known {
			return e, l.at(i, fmt.Sprintf("%s: no cell of the query has the key %q", end.column, short(end.id)))
		}
		*end.cell = k
	}
	for _, x := range []struct {
		name   string
		column []string
		value  *float64
	}{{l.Length, l.length, &e.Length}, {l.Weight, l.weight, &e.W}} {
		if x.name == "" || x.column[i] == "" {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(x.column[i]), 64)
		if err != nil {
			return e, l.at(i, fmt.Sprintf("%s: %q is no number", x.name, short(x.column[i])))
		}
		*x.value = v
	}
	return e, nil
}

// at says where in the file something is wrong: at its line in a CSV file, where line 1 is the header, else at its row.
func (l edgeList) at(i int, reason string) error {
	name := filepath.Base(l.Edges)
	if slices.Contains(strings.Split(strings.ToLower(name), "."), "csv") {
		return fmt.Errorf("%s:%d: %s", name, i+2, reason)
	}
	return fmt.Errorf("%s: row %d: %s", name, i+1, reason)
}

// short cuts a public text for a message.
func short(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

// keepRoads notes which points the edges join.
func (q *Planned) keepRoads(edges []denoise.Edge) {
	if q.places == nil || q.places.Roads != nil {
		return
	}
	for _, e := range edges {
		if max(e.U, e.V) < len(q.places.Points) { // the cells that null and other add have no place
			q.places.Roads = append(q.places.Roads, [2]int{e.U, e.V})
		}
	}
}
