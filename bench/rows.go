package main

import (
	"fmt"
	"math"
	"math/rand/v2"
)

const (
	units      = 500_000
	categories = 5_000
	pages      = 50_000
	groupRows  = 1_000_000 // number of rows of a row group
)

// row is one row of the table: a unit, most of them with few rows and some with thousands; a category, with frequencies
// by Zipf's law, in a nullable column without nulls; and an amount of money.
type row struct {
	Unit     int64   `parquet:"unit"`
	Category string  `parquet:"category,dict,optional"`
	Value    float64 `parquet:"value"`
}

func categoryName(i int) string { return fmt.Sprintf("category %04d", i) }

// generator makes the rows of a table in batches.
type generator struct {
	left  int
	rng   *rand.Rand
	zipf  *rand.Zipf
	names []string
	batch []row
}

func newGenerator(rows int) *generator {
	g := &generator{left: rows, rng: rand.New(rand.NewPCG(20, 11)), batch: make([]row, 10_000)}
	g.zipf = rand.NewZipf(g.rng, 1.05, 1, categories-1)
	for i := range categories {
		g.names = append(g.names, categoryName(i))
	}
	return g
}

// next returns the next rows, which are valid until the next call, or none at the end.
func (g *generator) next() []row {
	batch := g.batch[:min(len(g.batch), g.left)]
	for i := range batch {
		u := g.rng.Float64()
		rank := uint64(u * u * units)
		batch[i] = row{
			Unit:     int64(rank * 7_654_321 % units), // a permutation of the units
			Category: g.names[g.zipf.Uint64()],
			Value:    math.Round(100*math.Exp(2+g.rng.NormFloat64())) / 100,
		}
	}
	g.left -= len(batch)
	return batch
}
