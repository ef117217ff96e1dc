package calibrate

import (
	"math"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/internal/spelling"
)

const compareLong = `compare prints the sigma of every method at an epsilon and a delta, with how much more noise than
the least one it is, and up to which epsilon it gives the guarantee at this delta (G(delta) of Zhao et al. 2019). A
method whose formula does not give the guarantee is marked with FAILS. The papers' bounds on the least sigma follow.
With several epsilons or deltas, each pair has rows of its own.

With --times N it is about N queries of this sensitivity that are to meet the guarantee together, and prints the sigma
of each: by exact Gaussian composition, by Theorem 4.3 of Kairouz, Oh and Viswanath 2017, and by giving each query its
N-th part.`

func (a *calibration) compareCmd() *cobra.Command {
	var p pairs
	times := 1
	cmd := &cobra.Command{
		Use: "compare", Short: "Every method's noise, and the bounds on it", Long: compareLong, Args: cobra.NoArgs,
		Example: "  release calibrate compare --epsilon 10 --delta 1e-5\n  release calibrate compare --epsilon 1,10,31.62 " +
			"--delta 1e-2,1e-4",
		RunE: func(*cobra.Command, []string) error {
			rows, err := p.answer(func(n numbers) ([]row, error) {
				if times != 1 {
					return timesRows(n, times)
				}
				return methodRows(n)
			})
			if err != nil {
				return err
			}
			sigma := short
			if times != 1 {
				sigma = up
			}
			columns := []column{{"mechanism", "mechanism", nil}, {"sigma", "sigma", sigma}, {"excess", "excess", percent}}
			if p.several() {
				columns = append(columns, column{"epsilon", "epsilon", short}, column{"delta", "delta", short})
			}
			return a.print(append(columns, column{"is", "", nil},
				column{"holds_up_to_epsilon", "holds up to epsilon", upTo}), rows)
		},
	}
	p.flags(cmd, [2]string{"epsilon", "delta"})
	cmd.Flags().IntVar(&times, "times", times, "how many queries are to meet the guarantee together")
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the table as JSON")
	return cmd
}

func upTo(x any) string {
	if x.(float64) >= calibrate.MaxEpsilon {
		return "always"
	}
	return spelling.Down(x.(float64), 7)
}

// methodRows returns the sigma of each method, then the lower bounds on sigma.
func methodRows(n numbers) (rows []row, err error) {
	compared, err := methods.Compare(n.sensitivity(), n.guarantee())
	if err != nil {
		return nil, err
	}
	method := map[string]bool{}
	for _, c := range compared {
		method[string(c.Method)] = true
		r := row{"mechanism": string(c.Method)}
		switch {
		case c.Err != nil:
			r["error"] = plain(c.Err)
		case !c.Holds:
			r["is"] = "FAILS"
			fallthrough
		default:
			r["sigma"], r["excess"], r["holds_up_to_epsilon"] = float64(c.Sigma), c.Excess, float64(c.UpTo)
		}
		rows = append(rows, r)
	}
	least, err := calibrate.AnalyticGaussian(n.sensitivity(), n.guarantee())
	if err != nil {
		return nil, err
	}
	bounds, err := methods.SigmaBounds(n.sensitivity(), n.guarantee())
	for _, b := range bounds {
		kind := "upper bound"
		if b.Lower {
			kind = "lower bound"
		} else if method[b.Name] {
			continue
		}
		rows = append(rows, row{"mechanism": b.Name, "sigma": float64(b.Sigma), "excess": excessOf(b.Sigma, least),
			"is": kind})
	}
	return rows, err
}

// timesRows returns, for several methods of composition, the sigma with which times equal queries meet the guarantee
// together.
func timesRows(n numbers, times int) ([]row, error) {
	least, err := methods.ComposedSigma(n.sensitivity(), n.guarantee(), times)
	if err != nil {
		return nil, err
	}
	of := func(name string, sigma calibrate.Sigma, err error) row {
		if err != nil {
			return row{"mechanism": name, "error": plain(err)}
		}
		return row{"mechanism": name, "sigma": float64(sigma), "excess": excessOf(sigma, least)}
	}
	kairouz, kairouzErr := methods.KairouzSigma(n.sensitivity(), n.guarantee(), times)
	basic, basicErr := calibrate.AnalyticGaussian(n.sensitivity(), calibrate.Guarantee{
		Epsilon: calibrate.Epsilon(math.Nextafter(n["epsilon"]/float64(times), 0)),
		Delta:   calibrate.Delta(math.Nextafter(n["delta"]/float64(times), 0)),
	})
	return []row{of("gaussian", least, nil), of("kairouz-4.3", kairouz, kairouzErr), of("basic", basic, basicErr)}, nil
}
