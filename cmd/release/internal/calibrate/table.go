package calibrate

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
)

const tableLong = `table prints the sigma of every method for each of several epsilons and deltas: what Zhao et al. 2019 print as Table I, corrected. A sigma
that does not give the guarantee is marked with *.`

func (a *calibration) tableCmd() *cobra.Command {
	var epsilons, deltas []string
	sensitivity := "1"
	cmd := &cobra.Command{
		Use: "table", Short: "Every method's noise at several epsilons and deltas", Long: tableLong, Args: cobra.NoArgs,
		Example: "  release calibrate table --epsilon 1,10,31.62 --delta 1e-2,1e-4",
		RunE:    func(*cobra.Command, []string) error { return a.table(epsilons, deltas, sensitivity) },
	}
	cmd.Flags().StringSliceVar(&epsilons, "epsilon", []string{"0.1", "1", "3.162", "10", "31.62", "100"}, "the epsilons")
	cmd.Flags().StringSliceVar(&deltas, "delta", []string{"1e-2", "1e-3", "1e-4", "1e-5", "1e-6"}, "the deltas")
	cmd.Flags().StringVar(&sensitivity, "sensitivity", sensitivity, numberHelp["sensitivity"])
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the table as JSON")
	return cmd
}

func (a *calibration) table(epsilons, deltas []string, sensitivity string) error {
	header := []string{"epsilon", "delta"}
	for _, m := range methods.Methods() {
		header = append(header, string(m))
	}
	rows, all := [][]string{header}, []any{}
	for _, eps := range epsilons {
		for _, delta := range deltas {
			in, err := read([]string{"epsilon", "delta"}, map[string]string{"epsilon": eps, "delta": delta,
				"sensitivity": sensitivity})
			if err != nil {
				return console.Usagef("%s", plain(err))
			}
			compared, err := methods.Compare(in.sensitivity, in.guarantee)
			if err != nil {
				return calibrateError(err)
			}
			rows = append(rows, append([]string{eps, delta}, sigmas(compared)...))
			all = append(all, comparisonJSON(in, compared))
		}
	}
	if a.JSON {
		return a.PrintJSON(all)
	}
	return a.PrintTable(rows)
}

// sigmas are the methods' sigmas in short, marked if one does not hold.
func sigmas(rows []methods.Comparison) []string {
	texts := make([]string, len(rows))
	for i, r := range rows {
		switch texts[i] = fmt.Sprintf("%.6g", float64(r.Sigma)); {
		case r.Err != nil:
			texts[i] = "-"
		case !r.Holds:
			texts[i] += "*"
		}
	}
	return texts
}

const thresholdsLong = `thresholds prints G(delta) of Zhao et al. 2019: the largest epsilon up to which a classical formula's sigma gives (epsilon, delta), and beyond
which it fails. The paper prints these figures rounded up, so that privacy fails just below them already.`

// threshold is one row of thresholds.
type threshold struct {
	Delta   float64            `json:"delta"`
	Epsilon map[string]float64 `json:"holds_up_to_epsilon"`
}

func (a *calibration) thresholdsCmd() *cobra.Command {
	var deltas []string
	cmd := &cobra.Command{
		Use: "thresholds", Short: "The epsilons at which the classical formulas stop holding", Long: thresholdsLong, Args: cobra.NoArgs,
		Example: "  release calibrate thresholds --delta 1e-5",
		RunE:    func(*cobra.Command, []string) error { return a.thresholds(deltas) },
	}
	cmd.Flags().StringSliceVar(&deltas, "delta", []string{"1e-3", "1e-4", "1e-5", "1e-6"}, "the deltas")
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the table as JSON")
	return cmd
}

func (a *calibration) thresholds(deltas []string) error {
	methods := []methods.Method{methods.Dwork2014, methods.Dwork2006, methods.Lecture}
	rows, all := [][]string{append([]string{"delta"}, strings.Split(methodNames(methods), ", ")...)}, []threshold{}
	for _, text := range deltas {
		d, err := parseNumber(nearest, "delta", text)
		if err != nil {
			return console.Usagef("%s", plain(err))
		}
		row, found := []string{text}, threshold{Delta: d, Epsilon: map[string]float64{}}
		for _, m := range methods {
			eps, err := m.Threshold(calibrate.Delta(d))
			if err != nil {
				return calibrateError(err)
			}
			row = append(row, digits17Down(float64(eps)))
			found.Epsilon[string(m)] = float64(eps)
		}
		rows, all = append(rows, row), append(all, found)
	}
	if a.JSON {
		return a.PrintJSON(all)
	}
	return a.PrintTable(rows)
}
