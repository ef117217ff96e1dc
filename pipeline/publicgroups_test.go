package pipeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/configs"
)

// Files of public totals that are wrong in some way are refused with words when the job is planned, before anything is
// charged.
func TestHostilePublicTotalsAreRefused(t *testing.T) {
	const text = `
version: 1
name: places
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 1}}
input: {files: [people.parquet]}
queries:
  - name: people
    crosstabs:
      by:
        - {column: town, values_from: {file: places.csv, column: town}, levels: [region, town]}
      optimize: tables
      integers: true
      known: [%s]
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: places, budget: {epsilon: 1, delta: 1e-5}}
`
	const regions, towns = "{level: region, file: regions.csv, column: n}", "{level: town, file: towns.csv, column: n}"
	for name, c := range map[string]struct {
		known        string
		names, rows  string // of regions.csv
		towns, words string
	}{
		"right":               {regions + ", " + towns, "N S", "30 5", "10 20 5", ""},
		"in another order":    {regions + ", " + towns, "S N", "5 30", "10 20 5", ""},
		"negative":            {regions, "N S", "30 -5", "", "not a number of rows"},
		"a fraction":          {regions, "N S", "30 5.5", "", "not a number of rows"},
		"in scientific form":  {regions, "N S", "30 5e0", "", "not a number of rows"},
		"a text":              {regions, "N S", "30 many", "", "not a number of rows"},
		"infinite":            {regions, "N S", "30 Inf", "", "not a number of rows"},
		"more than any table": {regions, "N S", "30 1000000000000000000", "", "not a number of rows"},
		"a place is missing":  {regions, "N", "30", "", "1 totals, the level 2 groups"},
		"a place is twice":    {regions, "N N", "30 30", "", "or there twice"},
		"a place too many":    {regions, "N S N", "30 5 30", "", "3 totals, the level 2 groups"},
		"an unknown place":    {regions, "N W", "30 5", "", "not a group of the level"},
		"no number":           {regions, "N S", "30 _", "", "has no value"},
		"levels contradict":   {regions + ", " + towns, "N S", "30 5", "10 21 5", "do not add up"},
		"a level twice":       {regions + ", " + regions, "N S", "30 5", "", "listed twice"},
		"an unknown level":    {"{level: county, file: regions.csv, column: n}", "N S", "30 5", "", "not one of the levels"},
	} {
		files := map[string]string{
			"places.csv/town": "a b c", "places.csv/region": "N N S",
			"regions.csv/region": c.names, "regions.csv/n": c.rows, "towns.csv/town": "a b c", "towns.csv/n": c.towns,
		}
		job, diags := configs.Parse("job.yaml", fmt.Appendf(nil, text, c.known), configs.ParseOptions{})
		if len(diags) > 0 {
			t.Fatalf("%s: %v", name, diags)
		}
		_, diags = New(job, func(file, column string, _ bool) ([]string, error) {
			return strings.Split(strings.ReplaceAll(files[file+"/"+column], "_", ""), " "), nil
		})
		if c.words == "" && len(diags) > 0 {
			t.Errorf("%s: %v", name, diags)
		}
		if c.words != "" && !strings.Contains(fmt.Sprint(diags), c.words) {
			t.Errorf("%s: %v, want %q", name, diags, c.words)
		}
	}
}
