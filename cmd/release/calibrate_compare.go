package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/calibrate"
)

const compareLong = `compare prints the sigma of every method at one epsilon and delta, with how much more noise than the least one it is. A method whose
formula does not give the guarantee is marked with FAILS, and with the epsilon up to which it holds at this delta.`

func (a *app) compareCmd() *cobra.Command {
	text := map[string]*string{}
	needs := []string{"epsilon", "delta"}
	cmd := &cobra.Command{
		Use: "compare", Short: "Every method's noise at one epsilon and delta", Long: compareLong, Args: cobra.NoArgs,
		Example: "  release calibrate compare --epsilon 10 --delta 1e-5",
		RunE: func(*cobra.Command, []string) error {
			in, err := read(needs, values(text))
			if err != nil {
				return usagef("%s", plain(err))
			}
			rows, err := calibrate.Compare(in.sensitivity, in.guarantee)
			if err != nil {
				return calibrateError(err)
			}
			return a.printComparison(in, rows)
		},
	}
	numberFlags(cmd, needs, text)
	cmd.Flags().BoolVar(&a.json, "json", false, "print the table as JSON")
	return cmd
}

func (a *app) printComparison(in *given, rows []calibrate.Comparison) error {
	if a.json {
		return a.printJSON(comparisonJSON(in, rows))
	}
	table := [][]string{{"mechanism", "sigma", "excess", "", "holds up to epsilon"}}
	for _, r := range rows {
		table = append(table, comparisonRow(r))
	}
	return a.printTable(table)
}

func comparisonRow(r calibrate.Comparison) []string {
	upTo := "always"
	if r.UpTo < calibrate.MaxEpsilon {
		upTo = fmt.Sprintf("%.6f", float64(r.UpTo))
	}
	switch {
	case r.Err != nil:
		return []string{string(r.Method), "-", "-", "no value: " + plain(r.Err), "-"}
	case !r.Holds:
		return []string{string(r.Method), fmt.Sprintf("%.9g", float64(r.Sigma)), percent(r.Excess), "FAILS", upTo}
	}
	return []string{string(r.Method), fmt.Sprintf("%.9g", float64(r.Sigma)), percent(r.Excess), "", upTo}
}

// percent is an excess for people.
func percent(x float64) string {
	if x > 1000 {
		return fmt.Sprintf("%.3g times", x)
	}
	return fmt.Sprintf("%+.2f %%", 100*x)
}

// comparedMethod is one method of `compare --json`.
type comparedMethod struct {
	Method calibrate.Method `json:"mechanism"`
	Sigma  float64          `json:"sigma,omitempty"`
	Excess float64          `json:"excess"`
	Holds  bool             `json:"holds"`
	UpTo   float64          `json:"holds_up_to_epsilon"`
	Error  string           `json:"error,omitempty"`
}

func comparisonJSON(in *given, rows []calibrate.Comparison) any {
	methods := make([]comparedMethod, len(rows))
	for i, r := range rows {
		methods[i] = comparedMethod{Method: r.Method, Sigma: float64(r.Sigma), Excess: r.Excess, Holds: r.Holds, UpTo: float64(r.UpTo)}
		if r.Err != nil {
			methods[i].Error = plain(r.Err)
		}
	}
	return map[string]any{
		"epsilon": in.guarantee.Epsilon, "delta": in.guarantee.Delta, "sensitivity": in.sensitivity.L2, "mechanisms": methods,
	}
}
