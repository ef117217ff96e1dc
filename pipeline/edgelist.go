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
)

// This file reads the edges of a graph from a public file. The graph's nodes are cells, and the file names them by
// keys.

// edgeList holds a public list of edges, column by column. An optional column, such as lengths, is nil if the job names
// none.
type edgeList struct {
	Graph                        *configs.Graph
	Froms, Tos, Lengths, Weights []string
}

// Edges returns the edges between cells, after replacing each key by its index in ids. Errors name the row of the file.
func (l edgeList) Edges(ids []string) ([]denoise.Edge, error) {
	for name, column := range map[string][]string{l.Graph.To: l.Tos, l.Graph.Length: l.Lengths,
		l.Graph.Weight: l.Weights} {
		if name != "" && len(column) != len(l.Froms) {
			return nil, errors.New(filepath.Base(l.Graph.Edges) + ": an edge has no value in one of its columns")
		}
	}
	cell := make(map[string]int, len(ids))
	for i, id := range ids {
		cell[id] = i
	}
	edges := make([]denoise.Edge, len(l.Froms))
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
	}{{l.Graph.From, l.Froms[i], &e.U}, {l.Graph.To, l.Tos[i], &e.V}} {
		k, known := cell[end.id]
		if !known {
			return e, l.At(i, fmt.Sprintf("%s: no cell of the query has the key %q", end.column, shortKey(end.id)))
		}
		*end.cell = k
	}
	for _, x := range []struct {
		name   string
		column []string
		value  *float64
	}{{l.Graph.Length, l.Lengths, &e.Length}, {l.Graph.Weight, l.Weights, &e.W}} {
		if x.name == "" || x.column[i] == "" {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(x.column[i]), 64)
		if err != nil {
			return e, l.At(i, fmt.Sprintf("%s: %q is not a number", x.name, shortKey(x.column[i])))
		}
		*x.value = v
	}
	return e, nil
}

// At appends a position in the file to a reason: the line number in a CSV file, whose line 1 is the header; in other
// files the row number.
func (l edgeList) At(i int, reason string) error {
	name := filepath.Base(l.Graph.Edges)
	if slices.Contains(strings.Split(strings.ToLower(name), "."), "csv") {
		return fmt.Errorf("%s:%d: %s", name, i+2, reason)
	}
	return fmt.Errorf("%s: row %d: %s", name, i+1, reason)
}

// shortKey shortens a public key for a message.
func shortKey(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
