// Command gen writes an invented country: its towns with their counties and regions, the public totals of the regions,
// and a private table of its people. From the repository's root:
//
//	go run ./examples/census/gen
package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// country holds the rows of the three tables. The first row of each is its header.
type country struct{ places, totals, people [][]string }

// invent returns the invented country. Each call returns the same one.
func invent() country {
	r := rand.New(rand.NewPCG(1, 7))
	c := country{
		places: [][]string{{"region", "county", "town"}},
		totals: [][]string{{"region", "population"}},
		people: [][]string{{"person", "town", "age", "sex"}},
	}
	for _, region := range []string{"North", "Coast", "Hills"} {
		before := len(c.people)
		for county := range 2 + r.IntN(3) {
			for town := range 2 + r.IntN(6) {
				name := fmt.Sprintf("%s %d.%d", region, county+1, town+1)
				c.places = append(c.places, []string{region, fmt.Sprintf("%s %d", region, county+1), name})
				for range int(60 * math.Exp(1.2*r.NormFloat64())) {
					c.people = append(c.people, []string{fmt.Sprint(len(c.people)), name,
						fmt.Sprint(int(95 * math.Pow(r.Float64(), 1.3))),
						[]string{"f", "m"}[r.IntN(2)]})
				}
			}
		}
		c.totals = append(c.totals, []string{region, fmt.Sprint(len(c.people) - before)})
	}
	return c
}

func write(w io.Writer, rows [][]string) error { return csv.NewWriter(w).WriteAll(rows) }

func main() {
	if err := writeAll(filepath.Join("examples", "census")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// writeAll writes the tables into a folder.
func writeAll(dir string) error {
	c := invent()
	for name, rows := range map[string][][]string{"places.csv": c.places, "totals.csv": c.totals, "people.csv": c.people} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := errors.Join(write(f, rows), f.Close()); err != nil {
			return err
		}
	}
	return nil
}
