package calibrate

import (
	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
)

const boundsLong = `bounds prints the bounds of the literature on the least sigma, as far as they apply, beside it. Lower bounds are rounded down, upper ones up.`

// boundRow is one row of bounds.
type boundRow struct {
	Bound string          `json:"bound"`
	Kind  string          `json:"kind"`
	Sigma calibrate.Sigma `json:"sigma"`
}

func (a *calibration) boundsCmd() *cobra.Command {
	text, needs := map[string]*string{}, []string{"epsilon", "delta"}
	cmd := &cobra.Command{
		Use: "bounds", Short: "The papers' bounds on the least noise, beside it", Long: boundsLong, Args: cobra.NoArgs,
		Example: "  release calibrate bounds --epsilon 1 --delta 1e-6",
		RunE: func(*cobra.Command, []string) error {
			in, err := read(needs, values(text))
			if err != nil {
				return console.Usagef("%s", plain(err))
			}
			return a.bounds(in)
		},
	}
	numberFlags(cmd, needs, text)
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the table as JSON")
	return cmd
}

func (a *calibration) bounds(in *given) error {
	least, err := calibrate.AnalyticGaussian(in.sensitivity, in.guarantee)
	if err != nil {
		return calibrateError(err)
	}
	found, err := methods.SigmaBounds(in.sensitivity, in.guarantee)
	if err != nil {
		return calibrateError(err)
	}
	rows := []boundRow{{"analytic", "least", least}}
	for _, b := range found {
		kind := "upper"
		if b.Lower {
			kind = "lower"
		}
		rows = append(rows, boundRow{b.Name, kind, b.Sigma})
	}
	if a.JSON {
		return a.PrintJSON(rows)
	}
	table := [][]string{{"bound", "", "sigma"}}
	for _, r := range rows {
		write := digits17
		if r.Kind == "lower" {
			write = digits17Down
		}
		table = append(table, []string{r.Bound, r.Kind, write(float64(r.Sigma))})
	}
	return a.PrintTable(table)
}
