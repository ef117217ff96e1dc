package trial

import (
	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/examples/internal/figure"
)

// write writes results as NAME.csv.
func write(s *experiment.Session, name string, results []Result) error {
	table := experiment.Table{Columns: []string{"eps", "delta", "d", "reps", "mechanism", "sigma_or_b", "mean_err",
		"std_err"}}
	for _, r := range results {
		table.Add(r.Eps, r.Delta, r.D, r.Error.N, r.Mechanism, r.Noise, r.Error.Mean, r.Error.StdErr())
	}
	return s.Table(name, table)
}

// writeReference writes results as NAME.csv with the columns of the reference tables, which have only one delta.
func writeReference(s *experiment.Session, name string, results []Result) error {
	table := experiment.Table{Columns: []string{"eps", "d", "reps", "mechanism", "sigma_or_b", "mean_err", "std_err"}}
	for _, r := range results {
		table.Add(r.Eps, r.D, r.Error.N, r.Mechanism, r.Noise, r.Error.Mean, r.Error.StdErr())
	}
	return s.Table(name, table)
}

// line returns the error of one mechanism against x, at the results for which keep returns true.
func line(results []Result, style figure.Style, keep func(Result) bool, x func(Result) float64) figure.Line {
	l := figure.Line{Style: style}
	for _, r := range results {
		if keep(r) {
			l.X = append(l.X, x(r))
			l.Y = append(l.Y, r.Error.Mean)
			l.Errors = append(l.Errors, r.Error.StdErr())
		}
	}
	return l
}

// styles are the styles of the mechanisms, in the order of the key.
var styles = []figure.Key{
	{Name: "cGM", Style: figure.Style{Color: figure.Blue, Line: figure.Solid, Mark: figure.Square}},
	{Name: "aGM", Style: figure.Style{Color: figure.Black, Line: figure.Solid, Mark: figure.Circle}},
	{Name: "aGM-JS", Style: figure.Style{Color: figure.Vermilion, Line: figure.Solid, Mark: figure.Triangle}},
	{Name: "aGM-TH", Style: figure.Style{Color: figure.Green, Line: figure.Solid, Mark: figure.Ring}},
	{Name: "aGM-EB", Style: figure.Style{Color: figure.Orange, Line: figure.Solid, Mark: figure.Circle}},
	{Name: "Lap", Style: figure.Style{Color: figure.Purple, Line: figure.Dashed, Mark: figure.Cross}},
	{Name: "zero", Style: figure.Style{Color: figure.Gray, Line: figure.Dotted, Thin: true}},
}

// formulaStyles are the styles of the formulas.
var formulaStyles = []figure.Key{
	{Name: "DP-OPT", Style: figure.Style{Color: figure.Black, Line: figure.Solid}},
	{Name: "Mechanism 1", Style: figure.Style{Color: figure.Green, Line: figure.Solid}},
	{Name: "Mechanism 2", Style: figure.Style{Color: figure.SkyBlue, Line: figure.Solid}},
	{Name: "pDP-OPT", Style: figure.Style{Color: figure.Black, Line: figure.Dashed}},
	{Name: "Mechanism 3", Style: figure.Style{Color: figure.Purple, Line: figure.Dashed}},
	{Name: "Mechanism 4", Style: figure.Style{Color: figure.Orange, Line: figure.Dashed}},
	{Name: "Dwork-2014", Style: figure.Style{Color: figure.Vermilion, Line: figure.Dotted}},
	{Name: "Dwork-2006", Style: figure.Style{Color: figure.Blue, Line: figure.Dotted}},
	{Name: "DP-OPT, James-Stein", Style: figure.Style{Color: figure.Vermilion, Line: figure.Solid, Mark: figure.Triangle}},
}

// panel adds a line for each key to a chart.
func panel(chart figure.Chart, keys []figure.Key, results []Result, x func(Result) float64) figure.Chart {
	for _, k := range keys {
		keep := func(r Result) bool { return r.Mechanism == k.Name && r.Error.N > 0 }
		chart.Lines = append(chart.Lines, line(results, k.Style, keep, x))
	}
	return chart
}

// Having returns the results for which keep returns true.
func Having(results []Result, keep func(Result) bool) (out []Result) {
	for _, r := range results {
		if keep(r) {
			out = append(out, r)
		}
	}
	return out
}
