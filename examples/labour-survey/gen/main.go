// Command gen writes two months of an invented labour force survey. From the repository's root:
//
//	go run ./examples/labour-survey/gen
package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
)

var months = []string{"2026-09", "2026-10"}

// month returns the rows of month number at, with a header. They are the same at each call. People stay in the survey
// for both months. A person's weight is the number of people in the region for whom the person stands.
func month(at int) [][]string {
	r, later := rand.New(rand.NewPCG(34, 1)), rand.New(rand.NewPCG(34, 2))
	rows := [][]string{{"person", "region", "age", "status", "hours", "weight"}}
	regions := []struct {
		name               string
		weight, unemployed float64
	}{{"North", 120, 0.05}, {"Coast", 260, 0.09}, {"Hills", 180, 0.07}}
	for person := range 6000 {
		in := regions[r.IntN(len(regions))]
		age := 15 + r.IntN(60)
		weight := in.weight * (0.6 + r.ExpFloat64()/2)
		works, looks, usual := r.Float64(), r.Float64(), 38+8*r.NormFloat64()
		if at == 1 && later.IntN(6) == 0 { // one person in six is new in the second month, or has changed
			works, looks = later.Float64(), 0.7*later.Float64()
		}
		status, hours := "employed", ""
		switch {
		case works > 0.75-float64(max(age-60, 0))*0.04:
			status = "inactive"
		case looks < in.unemployed*(1.6-float64(age)/80):
			status = "unemployed"
		default:
			hours = fmt.Sprint(min(max(int(usual), 4), 70))
		}
		rows = append(rows, []string{fmt.Sprint(person + 1), in.name, fmt.Sprint(age), status, hours,
			fmt.Sprintf("%.1f", weight)})
	}
	return rows
}

func write(w io.Writer, rows [][]string) error { return csv.NewWriter(w).WriteAll(rows) }

func main() {
	for i, name := range months {
		f, err := os.Create(filepath.Join("examples", "labour-survey", name+".csv"))
		if err == nil {
			err = errors.Join(write(f, month(i)), f.Close())
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
