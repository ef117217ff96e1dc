package denoise

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/denoise"
)

// riskRow is a line of the table with estimates of errors.
type riskRow struct {
	name string
	denoise.Risk
	// df is the number of degrees of freedom of a single step, and sure is Stein's estimate of its squared error, with its
	// choices held fixed. Both are "" in other rows.
	df, sure string
}

// expected estimates the errors of the estimates, of the noisy values, and of one constant for all rows. If the
// constant is as good, the values contain little information.
func expected(ctx context.Context, in *noisyTable, flags *stepFlags, steps []*denoise.Step) ([]riskRow, error) {
	rows := []riskRow{{name: "noisy values", Risk: denoise.Risk{RMSE: in.sigma, Low: in.sigma, High: in.sigma,
		Relative: 1}}}
	for _, toward := range []string{"zero", "mean"} {
		constant, err := denoise.New("james-stein", denoise.Args{"toward": toward, "prior_variance": "0"})
		if err != nil {
			return nil, err
		}
		risk, err := denoise.ExpectedError(ctx, in.noisy, in.sigma, []*denoise.Step{constant})
		if err != nil {
			return nil, err
		}
		rows = append(rows, riskRow{name: toward + " in every row", Risk: risk})
	}
	risk, err := denoise.ExpectedError(ctx, in.noisy, in.sigma, steps)
	return append(rows, riskRow{name: flags.names(), Risk: risk}), err
}

// stein sets df and sure if there is only one step.
func (r *riskRow) stein(in *noisyTable, fit denoise.Fit, steps int) {
	if steps == 1 {
		r.df, r.sure = text17(fit.DF), text17(fit.SURE(in.noisy, in.sigma))
	}
}

// printRisk prints the table, or writes it to a file.
func (a *denoising) printRisk(path string, risks []riskRow, notes []string) error {
	if path != "" {
		return writeCSV(path, func(write func([]string)) {
			write([]string{"estimate", "rmse", "rmse_low", "rmse_high", "relative_squared_error", "df", "sure", "notes"})
			for i, r := range risks {
				said := ""
				if i == len(risks)-1 {
					said = strings.Join(notes, "; ")
				}
				write([]string{r.name, text17(r.RMSE), text17(r.Low), text17(r.High), text17(r.Relative), r.df, r.sure, said})
			}
		})
	}
	if a.Quiet {
		return nil
	}
	rows := [][]string{{"estimate", "expected RMSE", "95 %", "of the noise"}}
	for _, r := range risks {
		rows = append(rows, []string{
			r.name, fmt.Sprintf("%.4g", r.RMSE), fmt.Sprintf("%.4g to %.4g", r.Low, r.High), fmt.Sprintf("%.3g",
				r.RMSE/risks[0].RMSE),
		})
	}
	text := console.Aligned(rows)
	for _, n := range notes {
		text += console.Fill("%s\n", n)
	}
	return a.Print(text)
}

func text17(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
