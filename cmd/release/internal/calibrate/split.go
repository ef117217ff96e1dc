package calibrate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/pipeline"
)

const splitLong = `split shares one (epsilon, delta) out over several queries that are answered with Gaussian noise, and prints the noise of each. All of them
together meet the guarantee, verified, and waste less than 1e-12 of it.

Each --query is NAME,SENSITIVITY or NAME,SENSITIVITY,VALUE. --by says what the values mean:

  weights          each query's share of mu² (1 without a value)
  noise-to-signal  the size of a typical answer: sigma over it is the same for all
  targets          the largest sigma that will do; exit code 1 if that is not feasible, with the least epsilon that is
  squared-error    what a squared error costs: the total of value·sigma² is the least possible
  absolute-error   what an error costs: the total of value·sigma is the least possible`

// splitRules are what --by knows.
var splitRules = []struct {
	name  string
	split func(calibrate.Guarantee, []calibrate.Ask, []float64) ([]calibrate.Mechanism, error)
}{
	{"weights", func(g calibrate.Guarantee, asks []calibrate.Ask, weights []float64) ([]calibrate.Mechanism, error) {
		for i, w := range weights {
			asks[i].Weight = w
		}
		return calibrate.Split(g, asks)
	}},
	{"noise-to-signal", splitWith(methods.EqualNoiseToSignal)},
	{"targets", func(g calibrate.Guarantee, asks []calibrate.Ask, values []float64) ([]calibrate.Mechanism, error) {
		targets := make([]calibrate.Sigma, len(values))
		for i, x := range values {
			targets[i] = calibrate.Sigma(x)
		}
		return methods.SplitToTargets(g, asks, targets)
	}},
	{"squared-error", splitWith(methods.LeastSquaredError)},
	{"absolute-error", splitWith(methods.LeastAbsoluteError)},
}

// splitWith is Split with the weights that weigh finds.
func splitWith(
	weigh func([]calibrate.Ask, []float64) ([]calibrate.Ask, error),
) func(calibrate.Guarantee, []calibrate.Ask, []float64) ([]calibrate.Mechanism, error) {
	return func(g calibrate.Guarantee, asks []calibrate.Ask, values []float64) ([]calibrate.Mechanism, error) {
		asks, err := weigh(asks, values)
		if err != nil {
			return nil, err
		}
		return calibrate.Split(g, asks)
	}
}

func (a *calibration) splitCmd() *cobra.Command {
	var queries []string
	by, text, needs := "weights", map[string]*string{}, []string{"epsilon", "delta"}
	cmd := &cobra.Command{
		Use: "split", Short: "Share one guarantee out over several queries", Long: splitLong, Args: cobra.NoArgs,
		Example: "  release calibrate split --epsilon 1 --delta 1e-6 --query trips,5 --query fares,100,2\n" +
			"  release calibrate split --epsilon 1 --delta 1e-6 --by targets --query trips,5,40 --query fares,100,900",
		RunE: func(*cobra.Command, []string) error {
			in, err := read(needs, values(text))
			if err != nil {
				return console.Usagef("%s", plain(err))
			}
			return a.split(in.guarantee, by, queries)
		},
	}
	for _, name := range needs {
		text[name] = cmd.Flags().String(name, "", numberHelp[name])
	}
	cmd.Flags().StringArrayVar(&queries, "query", nil, "NAME,SENSITIVITY or NAME,SENSITIVITY,VALUE (repeatable)")
	cmd.Flags().StringVar(&by, "by", by, "what the values mean: "+strings.Join(SplitRules(), ", "))
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the answer as JSON")
	return cmd
}

// SplitRules are the words that split --by takes.
func SplitRules() []string {
	names := make([]string, len(splitRules))
	for i, r := range splitRules {
		names[i] = r.name
	}
	return names
}

func (a *calibration) split(g calibrate.Guarantee, by string, queries []string) error {
	rule := slices.Index(SplitRules(), by)
	if rule < 0 {
		return console.Usagef("--by knows %s", strings.Join(SplitRules(), ", "))
	}
	asks, numbers, err := splitAsks(by, queries)
	if err != nil {
		return err
	}
	ms, err := splitRules[rule].split(g, asks, numbers)
	if err != nil {
		return splitError(err)
	}
	return a.printSplit(g, ms)
}

// splitAsks reads the queries and their values.
func splitAsks(by string, queries []string) (asks []calibrate.Ask, numbers []float64, err error) {
	for _, text := range queries {
		fields := strings.Split(text, ",")
		if len(fields) == 2 && by == "weights" {
			fields = append(fields, "1")
		}
		if len(fields) != 3 {
			return nil, nil, console.Usagef("--query %q: write NAME,SENSITIVITY,VALUE; --by %s says what the value means", text,
				by)
		}
		in, err := read([]string{"sensitivity"}, map[string]string{"sensitivity": fields[1]})
		if err != nil {
			return nil, nil, console.Usagef("--query %q: %s", text, plain(err))
		}
		x, err := parseNumber(safeSide, "value", fields[2])
		if err != nil {
			return nil, nil, console.Usagef("--query %q: %s", text, plain(err))
		}
		asks = append(asks, calibrate.Ask{Query: strings.TrimSpace(fields[0]), Sens: in.sensitivity})
		numbers = append(numbers, x)
	}
	return asks, numbers, nil
}

func splitError(err error) error {
	if errors.Is(err, methods.ErrInfeasible) {
		return &pipeline.Error{Cause: pipeline.CauseCheck, Code: "calibrate", Message: plain(err),
			Hint: "ask for that epsilon, or allow larger sigmas"}
	}
	return calibrateError(err)
}

// splitQuery is one query's part of a split.
type splitQuery struct {
	Query       string  `json:"query"`
	Sensitivity float64 `json:"sensitivity"`
	Share       float64 `json:"share"`
	Sigma       float64 `json:"sigma"`
}

func (a *calibration) printSplit(g calibrate.Guarantee, ms []calibrate.Mechanism) error {
	all := calibrate.ComposedMu(ms)
	parts := make([]splitQuery, len(ms))
	for i, m := range ms {
		ratio := float64(m.Mu() / all)
		parts[i] = splitQuery{Query: m.Query, Sensitivity: m.Sens.L2, Share: ratio * ratio, Sigma: float64(m.Sigma)}
	}
	if a.JSON {
		return a.PrintJSON(map[string]any{"epsilon": g.Epsilon, "delta": g.Delta, "mu": all, "queries": parts})
	}
	rows := [][]string{{"query", "sensitivity", "share of mu²", "sigma"}}
	for _, p := range parts {
		rows = append(rows, []string{p.Query, fmt.Sprintf("%g", p.Sensitivity), fmt.Sprintf("%.2f %%", 100*p.Share),
			digits17(p.Sigma)})
	}
	return a.PrintTable(rows)
}
