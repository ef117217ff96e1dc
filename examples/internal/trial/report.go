package trial

import (
	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/report/picture"
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

// writeReference writes results as NAME.csv in the form of the reference tables, which have no column delta.
func writeReference(s *experiment.Session, name string, results []Result) error {
	table := experiment.Table{Columns: []string{"eps", "d", "reps", "mechanism", "sigma_or_b", "mean_err", "std_err"}}
	for _, r := range results {
		table.Add(r.Eps, r.D, r.Error.N, r.Mechanism, r.Noise, r.Error.Mean, r.Error.StdErr())
	}
	return s.Table(name, table)
}

// line returns a curve of one mechanism's error against x. It uses the results for which keep returns true.
func line(results []Result, style picture.Style, keep func(Result) bool, x func(Result) float64) picture.Line {
	l := picture.Line{Style: style}
	for _, r := range results {
		if keep(r) {
			l.X = append(l.X, x(r))
			l.Y = append(l.Y, r.Error.Mean)
			l.Errors = append(l.Errors, r.Error.StdErr())
		}
	}
	return l
}

// styles has the names and styles of the mechanisms, in the order of the legend.
var styles = []picture.Key{
	{Name: "cGM", Style: picture.Style{Color: picture.Blue, Line: picture.Solid, Mark: picture.Square}},
	{Name: "aGM", Style: picture.Style{Color: picture.Black, Line: picture.Solid, Mark: picture.Circle}},
	{Name: "aGM-JS", Style: picture.Style{Color: picture.Vermilion, Line: picture.Solid, Mark: picture.Triangle}},
	{Name: "aGM-TH", Style: picture.Style{Color: picture.Green, Line: picture.Solid, Mark: picture.Ring}},
	{Name: "aGM-EB", Style: picture.Style{Color: picture.Orange, Line: picture.Solid, Mark: picture.Circle}},
	{Name: "Lap", Style: picture.Style{Color: picture.Purple, Line: picture.Dashed, Mark: picture.Cross}},
	{Name: "zero", Style: picture.Style{Color: picture.Gray, Line: picture.Dotted, Thin: true}},
}

var formulaStyles = []picture.Key{
	{Name: "DP-OPT", Style: picture.Style{Color: picture.Black, Line: picture.Solid}},
	{Name: "Mechanism 1", Style: picture.Style{Color: picture.Green, Line: picture.Solid}},
	{Name: "Mechanism 2", Style: picture.Style{Color: picture.SkyBlue, Line: picture.Solid}},
	{Name: "pDP-OPT", Style: picture.Style{Color: picture.Black, Line: picture.Dashed}},
	{Name: "Mechanism 3", Style: picture.Style{Color: picture.Purple, Line: picture.Dashed}},
	{Name: "Mechanism 4", Style: picture.Style{Color: picture.Orange, Line: picture.Dashed}},
	{Name: "Dwork-2014", Style: picture.Style{Color: picture.Vermilion, Line: picture.Dotted}},
	{Name: "Dwork-2006", Style: picture.Style{Color: picture.Blue, Line: picture.Dotted}},
	{Name: "DP-OPT, James-Stein", Style: picture.Style{Color: picture.Vermilion, Line: picture.Solid,
		Mark: picture.Triangle}},
}

// panel adds a curve for each of the keys to a chart.
func panel(chart picture.Chart, keys []picture.Key, results []Result, x func(Result) float64) picture.Chart {
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
