package configs

import (
	"strings"
	"testing"
)

// The data intervals of a dated job have one name: a label of a metric must not grow with time. Other parameters do
// change the name.
func TestSeriesHasNoDate(t *testing.T) {
	const text = `version: 1
name: fares-${region}-${day}-$${x}
params: {day: {type: date, every: month}, region: north}
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input: {files: ["${region}-${day}.csv"]}
queries: [{name: all, count: {}}]
output: {dir: out}
ledger: {store: "sqlite:a.db", dataset: a, budget: {epsilon: 1, delta: 1e-6}}
`
	for _, day := range []string{"2013-01", "2013-02-01"} {
		job, diags := Parse("job.yaml", []byte(text), ParseOptions{Params: map[string]string{"day": day, "region": "south"}})
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		if got := job.Series(); got != "fares-south-${day}-${x}" || !strings.Contains(job.Name, day) {
			t.Errorf("%s: %s of %s", day, got, job.Name)
		}
	}
}
