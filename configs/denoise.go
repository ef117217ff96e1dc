package configs

import (
	"maps"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// Denoise is one post-processing step: a method, and parameters of that method only. If a parameter is absent, it
// follows from the noise or has the default that `release denoise --methods` lists.
type Denoise struct {
	// Method of the step. A step that uses the standard deviation of the noise must be the first one, and there can be
	// only one.
	Method string `yaml:"method" example:"james-stein"`
	// Args are the parameters of the step as the job writes them, by name. Package denoise knows the parameters of each
	// method and checks them. Args is nil if there are none.
	Args map[string]string
	// Graph defines which cells are neighbours, for methods that take a graph. If it is absent, cells are neighbours if
	// they are next to each other along a dimension with an order, such as edges, parts of times and grids.
	Graph *Graph `yaml:"graph,omitempty" example:"{edges: sections.csv, from: from_junction, to: to_junction, length: length_m}"`
}

// Graph is a public list of edges between the cells of a query with one dimension. An edge joins two cells by their
// keys in the release. An edge from a cell to itself is ignored. The weights of parallel edges are added.
type Graph struct {
	// Edges is the public file of edges, relative to the job file: .parquet, .arrow, .csv, .csv.gz or .csv.zst. It must
	// hold nothing private.
	Edges string `yaml:"edges" example:"sections.csv"`
	// From is the column of the first cell of each edge.
	From string `yaml:"from" example:"from_junction"`
	// To is the column of the second cell of each edge.
	To string `yaml:"to" example:"to_junction"`
	// Length is the column of the lengths of the edges, in any unit. The method tree-ensemble prefers short edges.
	Length string `yaml:"length,omitempty" example:"length_m"`
	// Weight is the column of the weights of the edges. A difference across an edge of weight 2 costs twice as much.
	// All weights are 1 if it is absent.
	Weight string `yaml:"weight,omitempty" example:"lanes"`
}

// decodeStep decodes a step: its method, its graph, and all other keys as parameters.
func decodeStep(d *yamltree.Decoder, s *Denoise, at yamltree.Spot) {
	if at.Node.Kind != yaml.MappingNode {
		d.RefuseType(at, "a mapping (key: value)", yamltree.MappingHint(at, reflect.TypeFor[Denoise]()))
		return
	}
	for _, e := range d.Pairs(at) {
		switch e.Name {
		case "method":
			d.DecodeValue(reflect.ValueOf(&s.Method).Elem(), e.Spot)
		case "graph":
			d.DecodeValue(reflect.ValueOf(&s.Graph).Elem(), e.Spot)
		default:
			var text Scalar
			d.DecodeValue(reflect.ValueOf(&text).Elem(), e.Spot)
			s.setParam(e.Name, string(text))
		}
	}
	d.Require(at, "method", "james-stein")
}

func (s *Denoise) setParam(name, text string) {
	if s.Args == nil {
		s.Args = map[string]string{}
	}
	s.Args[name] = text
}

// writeStep writes a step. Booleans and numbers are written as JSON, other parameters as strings.
func writeStep(w *writer, s *Denoise, at *yamltree.Path) {
	keys := slices.Sorted(maps.Keys(s.Args))
	n := 1 + len(keys)
	if s.Graph != nil {
		n++
	}
	w.Items("{}", n, func(i int) {
		switch {
		case i == 0:
			w.Key("method")
			w.Text(s.Method, at.At("method"))
			return
		case i > len(keys):
			w.Key("graph")
			w.Value(reflect.ValueOf(s.Graph), at.At("graph"))
			return
		}
		key := keys[i-1]
		w.Key(key)
		switch text := s.Args[key]; text {
		case "true", "false":
			w.JSON(text == "true")
		default:
			w.Decimal(text, at.At(key))
		}
	})
}
