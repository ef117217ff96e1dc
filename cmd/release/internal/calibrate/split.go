package calibrate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
)

const splitLong = `split shares one (epsilon, delta) out over several queries that are answered with Gaussian noise, and prints the noise of each. All of them
together meet the guarantee, verified, and waste less than 1e-12 of it.

Each --query is NAME,SENSITIVITY or NAME,SENSITIVITY,VALUE. --by says what the values mean:

  weights          each query's share of mu² (1 without a value)
  noise-to-signal  the size of a typical answer: sigma over it is the same for all
  targets          the largest sigma that will do; exit code 1 if that is not feasible, with the least epsilon that is
  squared-error    what a squared error costs: the total of value·sigma² is the least possible
  absolute-error   what an error costs: the total of value·sigma is the least possible`

// SplitRules are the words that split --by takes.
var SplitRules = []string{"weights", "noise-to-signal", "targets", "squared-error", "absolute-error"}

// splitBy shares a guarantee out by a rule.
func splitBy(rule string, g calibrate.Guarantee, asks []calibrate.Ask, values []float64) (_ []calibrate.Mechanism,
	err error) {
	switch rule {
	case "weights":
		for i, w := range values {
			asks[i].Weight = w
		}
	case "noise-to-signal":
		asks, err = methods.EqualNoiseToSignal(asks, values)
	case "squared-error":
		asks, err = methods.LeastSquaredError(asks, values)
	case "absolute-error":
		asks, err = methods.LeastAbsoluteError(asks, values)
	case "targets":
		targets := make([]calibrate.Sigma, len(values))
		for i, x := range values {
			targets[i] = calibrate.Sigma(x)
		}
		return methods.SplitToTargets(g, asks, targets)
	}
	if err != nil {
		return nil, err
	}
	return calibrate.SplitBudget(g, asks)
}

func (a *calibration) splitCmd() *cobra.Command {
	var queries []string
	var text map[string]*string
	by := SplitRules[0]
	cmd := &cobra.Command{
		Use: "split", Short: "Share one guarantee out over several queries", Long: splitLong, Args: cobra.NoArgs,
		Example: "  release calibrate split --epsilon 1 --delta 1e-6 --query trips,5 --query fares,100,2\n" +
			"  release calibrate split --epsilon 1 --delta 1e-6 --by targets --query trips,5,40 --query fares,100,900",
		RunE: func(*cobra.Command, []string) error {
			n, err := read(safeSide, []string{"epsilon", "delta"}, texts(text))
			if err != nil {
				return console.Usagef("%s", plain(err))
			}
			if !slices.Contains(SplitRules, by) {
				return console.Usagef("--by knows %s", strings.Join(SplitRules, ", "))
			}
			asks, numbers, err := splitAsks(by, queries)
			if err != nil {
				return err
			}
			ms, err := splitBy(by, n.guarantee(), asks, numbers)
			if err != nil {
				return answerError(err)
			}
			all, rows := calibrate.ComposedMu(ms), make([]row, len(ms))
			for i, m := range ms {
				ratio := float64(m.Mu() / all)
				rows[i] = row{"query": m.Query, "sensitivity": m.Sens.L2, "share": ratio * ratio, "sigma": float64(m.Sigma)}
			}
			share := func(x any) string { return fmt.Sprintf("%.2f %%", 100*x.(float64)) }
			return a.print([]column{{"query", "query", nil}, {"sensitivity", "sensitivity", nil}, {"share", "share of mu²", share},
				{"sigma", "sigma", up}}, rows)
		},
	}
	text = numberFlags(cmd, "epsilon", "delta")
	cmd.Flags().StringArrayVar(&queries, "query", nil, "NAME,SENSITIVITY or NAME,SENSITIVITY,VALUE (repeatable)")
	cmd.Flags().StringVar(&by, "by", by, "what the values mean: "+strings.Join(SplitRules, ", "))
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the answer as JSON")
	return cmd
}

// splitAsks reads the queries and their values.
func splitAsks(by string, queries []string) (asks []calibrate.Ask, values []float64, err error) {
	for _, text := range queries {
		fields := strings.Split(text, ",")
		if len(fields) == 2 && by == "weights" {
			fields = append(fields, "1")
		}
		if len(fields) != 3 {
			return nil, nil, console.Usagef("--query %q: write NAME,SENSITIVITY,VALUE; --by %s says what the value means", text,
				by)
		}
		n, err := read(safeSide, []string{"value"}, map[string]string{"sensitivity": fields[1], "value": fields[2]})
		if err != nil {
			return nil, nil, console.Usagef("--query %q: %s", text, plain(err))
		}
		asks = append(asks, calibrate.Ask{Query: strings.TrimSpace(fields[0]), Sens: n.sensitivity()})
		values = append(values, n["value"])
	}
	return asks, values, nil
}
