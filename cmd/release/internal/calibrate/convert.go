package calibrate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
)

const convertLong = `convert says what a guarantee, or a noise, is in other notions of differential privacy, and what each conversion costs.

With --sigma (and --sensitivity), or --mu, it prints what Gaussian noise satisfies in each notion, the epsilon that each implies at
--delta, and how much more that is than the exact one. With --epsilon it prints the largest parameter of each notion that implies
(epsilon, delta), the noise that it allows, and how much more that is than the least. With --rho (zCDP) or --renyi ALPHA,EPSILON
it prints the epsilon that this implies at --delta, and the largest noise parameter mu of a Gaussian mechanism that satisfies it.`

// starts are the flags of convert, of which one is given: the numbers in its text, separated by commas, and the answer.
var starts = []struct {
	flag, help string
	needs      []string
	round      rounding
	answer     func(n numbers, delta calibrate.Delta) ([]row, error)
}{
	{"epsilon", numberHelp["epsilon"], []string{"epsilon"}, safeSide, fromGuarantee},
	{"sigma", numberHelp["sigma"], []string{"sigma"}, safeSide, fromSigma},
	{"mu", "the noise as L2 sensitivity over sigma", []string{"mu"}, moreLoss, func(n numbers,
		delta calibrate.Delta) ([]row, error) {
		return fromMu(calibrate.Mu(n["mu"]), delta)
	}},
	{"rho", "zero-concentrated differential privacy", []string{"rho"}, moreLoss, fromRho},
	{"renyi", "Renyi differential privacy: ALPHA,EPSILON", []string{"alpha", "epsilon"}, moreLoss, fromRenyi},
}

// moreLoss rounds up, towards more loss. An order is rounded down: a lower one says less.
func moreLoss(name string) func(string) (float64, error) {
	if name == "alpha" {
		return calibrate.ParseDown
	}
	return calibrate.ParseUp
}

func (a *calibration) convertCmd() *cobra.Command {
	given := make([]string, len(starts))
	var text map[string]*string
	cmd := &cobra.Command{
		Use: "convert", Short: "A guarantee in other notions of privacy, and what each conversion costs", Long: convertLong,
		Args: cobra.NoArgs,
		Example: "  release calibrate convert --sigma 4 --delta 1e-6\n  release calibrate convert --epsilon 1 --delta 1e-6\n" +
			"  release calibrate convert --rho 0.03 --delta 1e-6",
		RunE: func(*cobra.Command, []string) error {
			rows, err := convert(given, texts(text))
			if err != nil {
				return err
			}
			return a.print([]column{{"notion", "notion", nil}, {"parameters", "parameters", parameters},
				{"epsilon", "epsilon", up}, {"mu", "mu", down}, {"sigma", "sigma", up}, {"excess", "excess", percent}}, rows)
		},
	}
	text = numberFlags(cmd, "delta", "sensitivity")
	for i, s := range starts {
		cmd.Flags().StringVar(&given[i], s.flag, "", s.help)
	}
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the table as JSON")
	return cmd
}

// convert answers for the one flag that is given.
func convert(given []string, text map[string]string) ([]row, error) {
	chosen, names := -1, make([]string, len(starts))
	for i, s := range starts {
		names[i] = "--" + s.flag
		switch {
		case given[i] == "":
		case chosen >= 0:
			chosen = len(starts)
		default:
			chosen = i
		}
	}
	if chosen < 0 || chosen == len(starts) {
		return nil, console.Usagef("give one of %s", strings.Join(names, ", "))
	}
	s := starts[chosen]
	n, err := read(safeSide, []string{"delta"}, text)
	if err != nil {
		return nil, console.Usagef("%s", plain(err))
	}
	delta := n.guarantee().Delta
	if err := (calibrate.Guarantee{Delta: delta}).Validate(); err != nil {
		return nil, console.Usagef("%s", plain(err))
	}
	fields := strings.Split(given[chosen], ",")
	if len(fields) != len(s.needs) {
		return nil, console.Usagef("--%s: write %s", s.flag, strings.ToUpper(strings.Join(s.needs, ",")))
	}
	for i, name := range s.needs {
		if n[name], err = parseNumber(s.round, name, fields[i]); err != nil {
			return nil, console.Usagef("%s", plain(err))
		}
	}
	rows, err := s.answer(n, delta)
	if err != nil {
		return nil, answerError(err)
	}
	return rows, nil
}

// parameters is "alpha 21.5, epsilon 0.6".
func parameters(x any) string {
	of := x.(map[string]float64)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		out = append(out, fmt.Sprintf("%s %.9g", name, of[name]))
	}
	return strings.Join(out, ", ")
}

// notion returns a row of a notion with its parameters. Values follow, or an error.
func notion(name string, of any, err error, values row) row {
	r := row{"notion": name}
	if err != nil {
		r["error"] = plain(err)
		return r
	}
	switch of := of.(type) {
	case calibrate.Mu:
		r["parameters"] = map[string]float64{"mu": float64(of)}
	case methods.Rho:
		r["parameters"] = map[string]float64{"rho": float64(of)}
	case methods.Renyi:
		r["parameters"] = map[string]float64{"alpha": of.Alpha, "epsilon": of.Epsilon}
	case methods.MeanConcentrated:
		r["parameters"] = map[string]float64{"mean": of.Mean, "spread": of.Spread}
	}
	maps.Copy(r, values)
	return r
}

// fromGuarantee returns the largest parameters of each notion that imply the guarantee.
func fromGuarantee(n numbers, delta calibrate.Delta) (rows []row, _ error) {
	g := calibrate.Guarantee{Epsilon: calibrate.Epsilon(n["epsilon"]), Delta: delta}
	routes, err := methods.NoiseRoutes(g)
	for _, r := range routes {
		values := row{"mu": float64(r.Mu), "excess": r.Excess}
		if sigma, err := r.Mu.Sigma(n.sensitivity()); err == nil {
			values["sigma"] = float64(sigma)
		}
		rows = append(rows, notion(r.Name, r.Notion, r.Err, values))
	}
	return rows, err
}

func fromSigma(n numbers, delta calibrate.Delta) ([]row, error) {
	if _, err := n.mechanism().Delta(0); err != nil { // names what is wrong with the sensitivity or sigma
		return nil, err
	}
	return fromMu(n.mechanism().Mu(), delta)
}

// fromMu returns what Gaussian noise satisfies in each notion.
func fromMu(mu calibrate.Mu, delta calibrate.Delta) (rows []row, _ error) {
	routes, err := methods.Routes(mu, delta)
	for _, r := range routes {
		rows = append(rows, notion(r.Name, r.Notion, r.Err, row{"epsilon": float64(r.Epsilon), "excess": r.Excess}))
	}
	return rows, err
}

// implied returns a row with the epsilon that a notion implies, and the largest mu of Gaussian noise that satisfies it.
func implied(name string, of any, mu calibrate.Mu, eps calibrate.Epsilon, err error) row {
	return notion(name, of, err, row{"epsilon": float64(eps), "mu": float64(mu)})
}

func fromRho(n numbers, delta calibrate.Delta) ([]row, error) {
	rho := methods.Rho(n["rho"])
	mu, err := rho.Mu()
	simple, simpleErr := rho.Epsilon(delta)
	tight, tightErr := rho.TightEpsilon(delta)
	return []row{implied("zcdp", rho, mu, simple, simpleErr), implied("zcdp-tight", rho, mu, tight, tightErr)}, err
}

func fromRenyi(n numbers, delta calibrate.Delta) ([]row, error) {
	r := methods.Renyi{Alpha: n["alpha"], Epsilon: n["epsilon"]}
	mu, err := r.Mu()
	eps, epsErr := r.DPEpsilon(delta)
	return []row{implied("renyi", r, mu, eps, epsErr)}, err
}
