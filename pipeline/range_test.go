package pipeline

import (
	"strings"
	"testing"

	"github.com/dprelease/dprelease/configs"
)

// Bounds and budgets at the ends of float64's range are refused at their place in the job, before anything is charged.
func TestNoiseOutOfRange(t *testing.T) {
	for _, c := range []struct {
		delta, query string
		column       int
		message      string
	}{
		{"1e-6", "mean: {column: x, clamp: [1e-135, 2e-135], weight: {column: w, clamp: [0, 1e-135]}}", 15,
			"the bounds are so small or so large"},
		{"1e-6", "sum: {column: x, clamp: [0, 1e-160]}", 15, "the bounds are so small or so large"},
		{"1e-6", "sum: {column: x, clamp: [0, 1e160]}", 15, "the bounds are so small or so large"},
		{"1e-6", "sum: {column: x, clamp: [0, 1e-3]}", 0, ""},
		{"1e-200", "count: {}", 5, "out of range"},
		{"1e-15", "crosstabs: {by: [{column: a, values: [a, b]}, {column: b, values: [a, b]}], ways: [1, 2], integers: true}",
			15, "2^40 times"},
		{"1e-15", "crosstabs: {by: [{column: a, values: [a, b]}, {column: b, values: [a, b]}], ways: [1, 2]}", 0, ""},
		{"1e-6", "crosstabs: {by: [{column: a, values: [a, b]}, {column: b, values: [a, b]}], ways: [1, 2], round_to: 5}", 0, ""},
	} {
		text := targetJob(c.delta, "", "  - {name: q, "+c.query+"}\n")
		text = strings.Replace(text, "delta: 1e-6", "delta: "+c.delta, 1) // a larger delta alone would limit the noise
		text = strings.Replace(text, "files: [t.csv]", "files: [t.csv], csv: {types: {x: float, w: float}}", 1)
		job, diags := configs.Parse("job.yaml", []byte(text), configs.ParseOptions{})
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		_, diags = New(job, nil)
		switch {
		case c.column == 0 && len(diags) > 0:
			t.Errorf("%s, delta %s: %v", c.query, c.delta, diags)
		case c.column > 0 && (len(diags) != 1 || diags[0].Line != 6 || diags[0].Column != c.column ||
			!strings.Contains(diags[0].Message, c.message)):
			t.Errorf("%s, delta %s: %v, want one at column %d", c.query, c.delta, diags, c.column)
		}
	}
}
