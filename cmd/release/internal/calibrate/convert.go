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

const convertLong = `convert says what a guarantee, or a noise, is in other notions of differential privacy, and what
each conversion costs.

With --sigma (and --sensitivity), or --mu, it prints what Gaussian noise satisfies in each notion, the epsilon that each
implies at --delta, and how much more that is than the exact one. With --epsilon it prints the largest parameter of each
notion that implies (epsilon, delta), the noise that it allows, and how much more that is than the least. With --rho
(zCDP) or --renyi ALPHA,EPSILON it prints the epsilon that this implies at --delta, and the largest noise parameter mu
of a Gaussian mechanism that satisfies it.`

// starts are the flags of convert; the user gives exactly one. The flag's value is a list of numbers separated by
// commas, which needs names. parse rounds each number towards more privacy loss: an order of Rényi divergence is
// rounded down, since a bound at a lower order is weaker. answer computes the rows to print.
var starts = []struct {
	flag, help string
	needs      []string
	parse      []func(string) (float64, error)
	answer     func(n numbers, delta calibrate.Delta) ([]row, error)
}{
	{"epsilon", numberHelp["epsilon"], []string{"epsilon"}, []func(string) (float64, error){calibrate.ParseDown},
		fromGuarantee},
	{"sigma", numberHelp["sigma"], []string{"sigma"}, []func(string) (float64, error){calibrate.ParseDown}, fromSigma},
	{"mu", "the noise as L2 sensitivity over sigma", []string{"mu"}, []func(string) (float64, error){calibrate.ParseUp},
		func(n numbers, delta calibrate.Delta) ([]row, error) { return fromMu(calibrate.Mu(n["mu"]), delta) }},
	{"rho", "zero-concentrated differential privacy", []string{"rho"}, []func(string) (float64, error){calibrate.ParseUp},
		fromRho},
	{"renyi", "Renyi differential privacy: ALPHA,EPSILON", []string{"alpha", "epsilon"},
		[]func(string) (float64, error){calibrate.ParseDown, calibrate.ParseUp}, fromRenyi},
}

func (a *calibration) convertCmd() *cobra.Command {
	given := make([]string, len(starts))
	delta, sensitivity := "", "1"
	cmd := &cobra.Command{
		Use: "convert", Short: "A guarantee in other notions of privacy, and what each conversion costs", Long: convertLong,
		Args: cobra.NoArgs,
		Example: "  release calibrate convert --sigma 4 --delta 1e-6\n  release calibrate convert --epsilon 1 --delta " +
			"1e-6\n  release calibrate convert --rho 0.03 --delta 1e-6",
		RunE: func(*cobra.Command, []string) error {
			rows, err := convert(given, map[string]string{"delta": delta, "sensitivity": sensitivity})
			if err != nil {
				return err
			}
			return a.print([]column{{"notion", "notion", nil}, {"parameters", "parameters", parameters},
				{"epsilon", "epsilon", up}, {"mu", "mu", down}, {"sigma", "sigma", up}, {"excess", "excess", percent}}, rows)
		},
	}
	for i, s := range starts {
		cmd.Flags().StringVar(&given[i], s.flag, "", s.help)
	}
	cmd.Flags().StringVar(&delta, "delta", "", numberHelp["delta"])
	cmd.Flags().StringVar(&sensitivity, "sensitivity", sensitivity, numberHelp["sensitivity"])
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the table as JSON")
	return cmd
}

// convert returns the rows for the one flag that is given.
func convert(given []string, text map[string]string) ([]row, error) {
	var chosen []int
	names := make([]string, len(starts))
	for i, s := range starts {
		if names[i] = "--" + s.flag; given[i] != "" {
			chosen = append(chosen, i)
		}
	}
	if len(chosen) != 1 {
		return nil, console.Usagef("give one of %s", strings.Join(names, ", "))
	}
	s := starts[chosen[0]]
	n, err := read([]string{"delta"}, text)
	if err != nil {
		return nil, console.Usagef("%s", plain(err))
	}
	delta := n.guarantee().Delta
	if err := delta.Validate(); err != nil {
		return nil, console.Usagef("%s", plain(err))
	}
	fields := strings.Split(given[chosen[0]], ",")
	if len(fields) != len(s.needs) {
		return nil, console.Usagef("--%s: write %s", s.flag, strings.ToUpper(strings.Join(s.needs, ",")))
	}
	for i, name := range s.needs {
		if n[name], err = parseNumber(s.parse[i], name, fields[i]); err != nil {
			return nil, console.Usagef("%s", plain(err))
		}
	}
	rows, err := s.answer(n, delta)
	if err != nil {
		return nil, answerError(err)
	}
	return rows, nil
}

// parameters formats parameters, such as "alpha 21.5, epsilon 0.6", with all digits: some must not look smaller than
// they are, others not larger.
func parameters(x any) string {
	of := x.(map[string]float64)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		out = append(out, fmt.Sprintf("%s %v", name, of[name]))
	}
	return strings.Join(out, ", ")
}

// notion returns a row for a privacy notion, such as zCDP, with its parameters. If err is nil, the row has values;
// otherwise it has the error.
func notion(name string, parameters map[string]float64, err error, values row) row {
	r := row{"notion": name}
	if err != nil {
		r["error"] = plain(err)
		return r
	}
	if parameters != nil {
		r["parameters"] = parameters
	}
	maps.Copy(r, values)
	return r
}

// fromGuarantee returns for each privacy notion the largest parameters that imply the (epsilon, delta) guarantee.
func fromGuarantee(n numbers, delta calibrate.Delta) (rows []row, _ error) {
	g := calibrate.Guarantee{Epsilon: calibrate.Epsilon(n["epsilon"]), Delta: delta}
	routes, err := methods.NoiseRoutes(g)
	for _, r := range routes {
		values := row{"mu": float64(r.Mu), "excess": r.Excess}
		if sigma, err := r.Mu.Sigma(n.sensitivity()); err == nil {
			values["sigma"] = float64(sigma)
		}
		rows = append(rows, notion(r.Name, r.Parameters, r.Err, values))
	}
	return rows, err
}

func fromSigma(n numbers, delta calibrate.Delta) ([]row, error) {
	if _, err := n.mechanism().Delta(0); err != nil { // Delta returns an error if the sensitivity or sigma is wrong.
		return nil, err
	}
	return fromMu(n.mechanism().Mu(), delta)
}

// fromMu returns for each privacy notion the parameters that Gaussian noise with mu satisfies.
func fromMu(mu calibrate.Mu, delta calibrate.Delta) (rows []row, _ error) {
	routes, err := methods.Routes(mu, delta)
	for _, r := range routes {
		rows = append(rows, notion(r.Name, r.Parameters, r.Err, row{"epsilon": float64(r.Epsilon), "excess": r.Excess}))
	}
	return rows, err
}

// implied returns a row for a privacy notion, with the epsilon that its parameters imply, and the largest mu of
// Gaussian noise that satisfies them.
func implied(name string, parameters map[string]float64, mu calibrate.Mu, eps calibrate.Epsilon, err error) row {
	return notion(name, parameters, err, row{"epsilon": float64(eps), "mu": float64(mu)})
}

func fromRho(n numbers, delta calibrate.Delta) ([]row, error) {
	rho := methods.Rho(n["rho"])
	mu, err := rho.Mu()
	simple, simpleErr := rho.Epsilon(delta)
	tight, tightErr := rho.TightEpsilon(delta)
	return []row{implied("zcdp", rho.Parameters(), mu, simple, simpleErr),
		implied("zcdp-tight", rho.Parameters(), mu, tight, tightErr)}, err
}

func fromRenyi(n numbers, delta calibrate.Delta) ([]row, error) {
	r := methods.Renyi{Alpha: n["alpha"], Epsilon: n["epsilon"]}
	mu, err := r.Mu()
	eps, epsErr := r.DPEpsilon(delta)
	return []row{implied("renyi", r.Parameters(), mu, eps, epsErr)}, err
}
