package calibrate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
)

const convertLong = `convert says what a guarantee, or a noise, is in other notions of differential privacy, and what each conversion costs.

With --sigma (and --sensitivity), or --mu, it prints what Gaussian noise satisfies in each notion, the epsilon that each implies at
--delta, and how much more that is than the exact one. With --epsilon it prints the largest parameter of each notion that implies
(epsilon, delta), the noise that it allows, and how much more that is than the least. With --rho (zCDP), --renyi ALPHA,EPSILON,
--tcdp RHO,OMEGA or --mcdp MEAN,SPREAD it prints the epsilon that this implies at --delta, and the largest noise parameter mu of a
Gaussian mechanism that satisfies it.`

func (a *calibration) convertCmd() *cobra.Command {
	var f convertFlags
	cmd := &cobra.Command{
		Use: "convert", Short: "A guarantee in other notions of privacy, and what each conversion costs", Long: convertLong, Args: cobra.NoArgs,
		Example: "  release calibrate convert --sigma 4 --delta 1e-6\n  release calibrate convert --epsilon 1 --delta 1e-6\n" +
			"  release calibrate convert --rho 0.03 --delta 1e-6",
		RunE: func(*cobra.Command, []string) error { return a.convert(&f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.delta, "delta", "", numberHelp["delta"])
	flags.StringVar(&f.epsilon, "epsilon", "", numberHelp["epsilon"])
	flags.StringVar(&f.sigma, "sigma", "", numberHelp["sigma"])
	flags.StringVar(&f.sensitivity, "sensitivity", "1", numberHelp["sensitivity"])
	flags.StringVar(&f.mu, "mu", "", "the noise as L2 sensitivity over sigma")
	flags.StringVar(&f.rho, "rho", "", "zero-concentrated differential privacy")
	flags.StringVar(&f.renyi, "renyi", "", "Renyi differential privacy: ALPHA,EPSILON")
	flags.StringVar(&f.tcdp, "tcdp", "", "truncated concentrated differential privacy: RHO,OMEGA")
	flags.StringVar(&f.mcdp, "mcdp", "", "mean-concentrated differential privacy: MEAN,SPREAD")
	flags.BoolVar(&a.JSON, "json", false, "print the table as JSON")
	return cmd
}

func (a *calibration) convert(f *convertFlags) error {
	source, err := f.source()
	if err != nil {
		return err
	}
	x, err := parseNumber(safeSide, "delta", f.delta)
	if err != nil {
		return console.Usagef("%s", plain(err))
	}
	if err := (calibrate.Guarantee{Delta: calibrate.Delta(x)}).Validate(); err != nil {
		return console.Usagef("%s", plain(err))
	}
	rows, err := source(f, calibrate.Delta(x))
	if err != nil {
		return calibrateError(err)
	}
	return a.printConverted(rows)
}

// source is the function that answers for the one flag that is given.
func (f *convertFlags) source() (func(*convertFlags, calibrate.Delta) ([]converted, error), error) {
	given := []struct {
		flag, text string
		answer     func(*convertFlags, calibrate.Delta) ([]converted, error)
	}{
		{"--epsilon", f.epsilon, fromGuarantee},
		{"--sigma", f.sigma, fromSigma},
		{"--mu", f.mu, fromMu},
		{"--rho", f.rho, fromRho},
		{"--renyi", f.renyi, fromRenyi},
		{"--tcdp", f.tcdp, fromTruncated},
		{"--mcdp", f.mcdp, fromMeanConcentrated},
	}
	var names []string
	var answers []func(*convertFlags, calibrate.Delta) ([]converted, error)
	for _, g := range given {
		names = append(names, g.flag)
		if g.text != "" {
			answers = append(answers, g.answer)
		}
	}
	if len(answers) != 1 {
		return nil, console.Usagef("give one of %s", strings.Join(names, ", "))
	}
	return answers[0], nil
}

func (a *calibration) printConverted(rows []converted) error {
	if a.JSON {
		return a.PrintJSON(rows)
	}
	table := [][]string{{"notion", "parameters", "epsilon", "mu", "sigma", "excess"}}
	for _, r := range rows {
		if r.Error != "" {
			table = append(table, []string{r.Notion, "no value: " + r.Error, "", "", "", ""})
			continue
		}
		excess := ""
		if r.Excess != nil {
			excess = percent(*r.Excess)
		}
		table = append(table, []string{
			r.Notion, parameters(r.Parameters), optional(r.Epsilon, digits17), optional(r.Mu, digits17Down), optional(r.Sigma,
				digits17), excess,
		})
	}
	return a.PrintTable(filled(table))
}

// filled is the table without the columns that have nothing but a name.
func filled(table [][]string) [][]string {
	out := make([][]string, len(table))
	for column := range table[0] {
		if !slices.ContainsFunc(table[1:], func(row []string) bool { return row[column] != "" }) {
			continue
		}
		for i, row := range table {
			out[i] = append(out[i], row[column])
		}
	}
	return out
}

// parameters is "alpha 21.5, epsilon 0.6".
func parameters(p map[string]float64) string {
	var names, texts []string
	for name := range p {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		texts = append(texts, fmt.Sprintf("%s %.9g", name, p[name]))
	}
	return strings.Join(texts, ", ")
}

func optional(x *float64, write func(float64) string) string {
	if x == nil {
		return ""
	}
	return write(*x)
}
