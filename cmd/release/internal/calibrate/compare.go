package calibrate

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
)

const compareLong = `compare prints the sigma of every method at one epsilon and delta, with how much more noise than the least one it is. A method whose
formula does not give the guarantee is marked with FAILS, and with the epsilon up to which it holds at this delta.

With --times N it is about N queries of this sensitivity that are to meet the guarantee together, and prints the sigma of each: by exact
Gaussian composition, by Theorem 4.3 of Kairouz, Oh and Viswanath 2017, and by giving each query its N-th part.`

func (a *calibration) compareCmd() *cobra.Command {
	text := map[string]*string{}
	needs := []string{"epsilon", "delta"}
	times := 1
	cmd := &cobra.Command{
		Use: "compare", Short: "Every method's noise at one epsilon and delta", Long: compareLong, Args: cobra.NoArgs,
		Example: "  release calibrate compare --epsilon 10 --delta 1e-5",
		RunE: func(*cobra.Command, []string) error {
			in, err := read(needs, values(text))
			if err != nil {
				return console.Usagef("%s", plain(err))
			}
			if times != 1 {
				return a.compareTimes(in, times)
			}
			rows, err := methods.Compare(in.sensitivity, in.guarantee)
			if err != nil {
				return calibrateError(err)
			}
			return a.printComparison(in, rows)
		},
	}
	numberFlags(cmd, needs, text)
	cmd.Flags().IntVar(&times, "times", times, "how many queries are to meet the guarantee together")
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the table as JSON")
	return cmd
}

// timesRow is one row of `compare --times`.
type timesRow struct {
	Composition string  `json:"composition"`
	Sigma       float64 `json:"sigma,omitempty"`
	Excess      float64 `json:"excess"`
	Error       string  `json:"error,omitempty"`
}

func (a *calibration) compareTimes(in *given, times int) error {
	least, err := methods.ComposedSigma(in.sensitivity, in.guarantee, times)
	if err != nil {
		return calibrateError(err)
	}
	kairouz, kairouzErr := methods.KairouzSigma(in.sensitivity, in.guarantee, times)
	n := float64(times)
	share := calibrate.Guarantee{
		Epsilon: calibrate.Epsilon(math.Nextafter(float64(in.guarantee.Epsilon)/n, 0)),
		Delta:   calibrate.Delta(math.Nextafter(float64(in.guarantee.Delta)/n, 0)),
	}
	basic, basicErr := calibrate.AnalyticGaussian(in.sensitivity, share)
	rows := []timesRow{timesRowOf("gaussian", least, least, nil), timesRowOf("kairouz-4.3", kairouz, least, kairouzErr),
		timesRowOf("basic", basic, least, basicErr)}
	if a.JSON {
		return a.PrintJSON(map[string]any{
			"epsilon": in.guarantee.Epsilon, "delta": in.guarantee.Delta, "sensitivity": in.sensitivity.L2, "times": times, "compositions": rows,
		})
	}
	table := [][]string{{"composition", "sigma of each", "excess"}}
	for _, r := range rows {
		if r.Error != "" {
			table = append(table, []string{r.Composition, "-", "no value: " + r.Error})
			continue
		}
		table = append(table, []string{r.Composition, digits17(r.Sigma), percent(r.Excess)})
	}
	return a.PrintTable(table)
}

func timesRowOf(name string, sigma, least calibrate.Sigma, err error) timesRow {
	if err != nil {
		return timesRow{Composition: name, Error: plain(err)}
	}
	return timesRow{Composition: name, Sigma: float64(sigma), Excess: math.Min(float64(sigma/least)-1, math.MaxFloat64)}
}

func (a *calibration) printComparison(in *given, rows []methods.Comparison) error {
	if a.JSON {
		return a.PrintJSON(comparisonJSON(in, rows))
	}
	table := [][]string{{"mechanism", "sigma", "excess", "", "holds up to epsilon"}}
	for _, r := range rows {
		table = append(table, comparisonRow(r))
	}
	return a.PrintTable(table)
}

func comparisonRow(r methods.Comparison) []string {
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
	Method methods.Method `json:"mechanism"`
	Sigma  float64        `json:"sigma,omitempty"`
	Excess float64        `json:"excess"`
	Holds  bool           `json:"holds"`
	UpTo   float64        `json:"holds_up_to_epsilon"`
	Error  string         `json:"error,omitempty"`
}

func comparisonJSON(in *given, rows []methods.Comparison) any {
	methods := make([]comparedMethod, len(rows))
	for i, r := range rows {
		methods[i] = comparedMethod{Method: r.Method, Sigma: float64(r.Sigma), Excess: r.Excess, Holds: r.Holds,
			UpTo: float64(r.UpTo)}
		if r.Err != nil {
			methods[i].Error = plain(r.Err)
		}
	}
	return map[string]any{
		"epsilon": in.guarantee.Epsilon, "delta": in.guarantee.Delta, "sensitivity": in.sensitivity.L2, "mechanisms": methods,
	}
}
