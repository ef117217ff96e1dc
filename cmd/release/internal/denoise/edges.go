package denoise

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/denoise"
)

// network reads the graph of --edges; nil if the flag is not given.
func (f *denoiseFlags) network(ctx context.Context, in *noisyTable) (*denoise.Graph, error) {
	if f.edges == "" {
		return nil, nil
	}
	t, err := readPublic(ctx, f.edges)
	if err != nil {
		return nil, err
	}
	edges, err := t.edges(len(in.rows))
	if err != nil {
		return nil, err
	}
	// Node i is row i of the table, whatever shape the table has.
	network, err := denoise.NewGraph(denoise.Shape{Dims: []int{len(in.rows)}, Ordered: []bool{false}}, 0, edges)
	var wrong *denoise.EdgeError
	switch {
	case errors.As(err, &wrong):
		return nil, inputProblem(t.path, t.lines[wrong.Index], wrong.Reason)
	case err != nil:
		return nil, inputProblem(t.path, 0, err.Error())
	}
	return network, nil
}

// edges reads an edge list: the columns u and v and, if the table has them, w and length.
func (t *publicTable) edges(nodes int) ([]denoise.Edge, error) {
	u, v := slices.Index(t.columns, "u"), slices.Index(t.columns, "v")
	w := slices.Index(t.columns, "w")
	length := slices.IndexFunc(t.columns, func(c string) bool { return c == "length" || strings.HasPrefix(c, "length_") })
	if u < 0 || v < 0 {
		return nil, inputProblem(t.path, 0, "an edge list has the columns u and v; this one has "+strings.Join(t.columns,
			", "))
	}
	out := make([]denoise.Edge, len(t.rows))
	for i, row := range t.rows {
		e := denoise.Edge{W: 1}
		err := errors.Join(node(row[u], "u", nodes, &e.U), node(row[v], "v", nodes, &e.V), edgeNumber(row, w, "w", &e.W),
			edgeNumber(row, length, "length", &e.Length))
		if err != nil {
			return nil, inputProblem(t.path, t.lines[i], strings.ReplaceAll(err.Error(), "\n", "; "))
		}
		out[i] = e
	}
	return out, nil
}

func node(text, column string, nodes int, to *int) error {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 0 || n >= nodes {
		return fmt.Errorf("%s is not the number of a row, from 0 to %d", column, nodes-1)
	}
	*to = n
	return nil
}

// edgeNumber reads an optional number of an edge into to. An empty field leaves to unchanged.
func edgeNumber(row []string, k int, column string, to *float64) error {
	if k < 0 || strings.TrimSpace(row[k]) == "" {
		return nil
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(row[k]), 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Errorf("%s is not a finite number", column)
	}
	*to = x
	return nil
}
