package calibrate

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
)

const composeLong = `compose prints what several mechanisms cost together at a delta.

With --gaussian they are Gaussian mechanisms, which compose without loss: the squares of L2 sensitivity over sigma add up.

With --laplace or --geometric, alone or beside --gaussian, they are mechanisms of one release whose parameters are fixed beforehand: an
upper bound from the distribution of the privacy loss. It must not size a later release.

With --part nothing is known of them but their epsilon and delta. compose then prints the sum, Theorem 3.5 of Kairouz, Oh and
Viswanath 2017, their exact composition if all parts are alike, and, for comparison, what Gaussian mechanisms that are just
good enough for the same parts cost together.`

// composeFlags are the mechanisms and the delta.
type composeFlags struct {
	gaussian, laplace, geometric, parts []string
	delta                               string
}

func (a *calibration) composeCmd() *cobra.Command {
	var flags composeFlags
	var kind string
	cmd := &cobra.Command{
		Use: "compose", Short: "What several mechanisms cost together", Long: composeLong + composeBatch, Args: cobra.NoArgs,
		Example: "  release calibrate compose --gaussian 1,10,100 --delta 1e-6\n  release calibrate compose --part " +
			"0.1,1e-9,100 --delta 1e-6",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("batch") {
				return a.composeAll(cmd, kind, flags.delta)
			}
			return a.compose(&flags)
		},
	}
	cmd.Flags().StringArrayVar(&flags.gaussian, "gaussian", nil,
		"a Gaussian mechanism, SENSITIVITY,SIGMA or SENSITIVITY,SIGMA,TIMES (repeatable)")
	cmd.Flags().StringArrayVar(&flags.laplace, "laplace", nil,
		"a Laplace mechanism, L1-SENSITIVITY,SCALE or with ,TIMES (repeatable)")
	cmd.Flags().StringArrayVar(&flags.geometric, "geometric", nil,
		"a two-sided geometric mechanism, L1-SENSITIVITY,SCALE or with ,TIMES (repeatable)")
	cmd.Flags().StringArrayVar(&flags.parts, "part", nil,
		"any mechanism, EPSILON,DELTA or EPSILON,DELTA,TIMES (repeatable)")
	cmd.Flags().StringVar(&flags.delta, "delta", "", "the delta of all of them together")
	cmd.Flags().StringVar(&kind, "batch", "", "answer each row of a CSV on stdin: "+strings.Join(CompositionKinds(), ", "))
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the answer as JSON")
	return cmd
}

func (a *calibration) compose(flags *composeFlags) error {
	x, err := parseNumber(safeSide, "delta", flags.delta)
	if err != nil {
		return console.Usagef("%s", plain(err))
	}
	delta := calibrate.Delta(x)
	var bounds []bound
	switch {
	case flags.known() == (len(flags.parts) > 0):
		return console.Usagef("give either --part or some of --gaussian, --laplace and --geometric")
	case flags.known():
		bounds, err = knownBounds(flags, delta)
	default:
		bounds, err = partBounds(flags.parts, delta)
	}
	if err != nil {
		return calibrateError(err)
	}
	return a.printBounds(bounds)
}

// bound is one answer of compose.
type bound struct {
	Name    string  `json:"composition"`
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta"`
	Error   string  `json:"error,omitempty"`
}

func (a *calibration) printBounds(bounds []bound) error {
	if a.JSON {
		return a.PrintJSON(bounds)
	}
	rows := [][]string{{"composition", "epsilon", "delta"}}
	for _, b := range bounds {
		if b.Error != "" {
			rows = append(rows, []string{b.Name, "-", "no value: " + b.Error})
			continue
		}
		rows = append(rows, []string{b.Name, digits17(b.Epsilon), digits17(b.Delta)})
	}
	return a.PrintTable(rows)
}

func boundOf(name string, g calibrate.Guarantee, err error) bound {
	if err != nil {
		return bound{Name: name, Error: plain(err)}
	}
	return bound{Name: name, Epsilon: float64(g.Epsilon), Delta: float64(g.Delta)}
}

// known says whether there are mechanisms whose noise is known.
func (f *composeFlags) known() bool { return len(f.gaussian)+len(f.laplace)+len(f.geometric) > 0 }

func knownBounds(f *composeFlags, delta calibrate.Delta) ([]bound, error) {
	m, err := f.mixed()
	if err != nil {
		return nil, err
	}
	if len(m.Laplace)+len(m.Geometric) > 0 {
		eps, err := m.Epsilon(delta)
		return []bound{boundOf("one release", calibrate.Guarantee{Epsilon: eps, Delta: delta}, nil)}, err
	}
	g, err := calibrate.Compose(m.Gaussian, delta)
	return []bound{boundOf("gaussian", g, nil)}, err
}

func (f *composeFlags) mixed() (m methods.Mixed, err error) {
	for _, kind := range []struct {
		flag string
		text []string
		add  func(g *given) error
	}{
		{"gaussian", f.gaussian, func(g *given) error { m.Gaussian = append(m.Gaussian, g.mechanism()); return nil }},
		{"laplace", f.laplace, func(g *given) error {
			m.Laplace = append(m.Laplace, calibrate.Laplace{L1: g.sensitivity.L2, Scale: float64(g.sigma)})
			return nil
		}},
		{"geometric", f.geometric, func(g *given) error {
			one, err := g.geometric(float64(g.sigma))
			m.Geometric = append(m.Geometric, one)
			return err
		}},
	} {
		for _, text := range kind.text {
			if err := repeat(kind.flag, text, kind.add); err != nil {
				return m, err
			}
		}
	}
	return m, nil
}

// repeat adds what "sensitivity,scale" or "sensitivity,scale,times" says.
func repeat(flag, text string, add func(*given) error) error {
	g, times, err := readTimes(flag, text, "sensitivity", "sigma")
	if err != nil {
		return err
	}
	for range times {
		if err := add(g); err != nil {
			return err
		}
	}
	return nil
}

func partBounds(texts []string, delta calibrate.Delta) ([]bound, error) {
	var parts []methods.Part
	for _, text := range texts {
		g, times, err := readTimes("part", text, "epsilon", "delta")
		if err != nil {
			return nil, err
		}
		parts = append(parts, methods.Part{Guarantee: g.guarantee, Times: times})
	}
	basic, err := methods.ComposeBasic(parts)
	if err != nil {
		return nil, err
	}
	advanced, err := methods.AdvancedAt(parts, delta)
	bounds := []bound{boundOf("basic", basic, nil), boundOf("kairouz-3.5", advanced.Guarantee, err)}
	if len(parts) == 1 {
		eps, err := parts[0].Epsilon(delta)
		bounds = append(bounds, boundOf("exact", calibrate.Guarantee{Epsilon: eps, Delta: delta}, err))
	}
	g, err := asGaussian(parts, delta)
	return append(bounds, boundOf("as gaussian", g, err)), nil
}

// asGaussian composes Gaussian mechanisms that meet the parts with nothing to spare.
func asGaussian(parts []methods.Part, delta calibrate.Delta) (calibrate.Guarantee, error) {
	var ms []calibrate.Mechanism
	for _, p := range parts {
		one := calibrate.Sensitivity{L2: 1}
		sigma, err := calibrate.AnalyticGaussian(one, p.Guarantee)
		if err != nil {
			return calibrate.Guarantee{}, err
		}
		for range p.Times {
			ms = append(ms, calibrate.Mechanism{Sens: one, Sigma: sigma})
		}
	}
	return calibrate.Compose(ms, delta)
}

// readTimes reads "x,y" or "x,y,times".
func readTimes(flag, text, first, second string) (*given, int, error) {
	fields := strings.Split(text, ",")
	if len(fields) != 2 && len(fields) != 3 {
		return nil, 0, console.Usagef("--%s %q: write %s,%s or %s,%s,times", flag, text, first, second, first, second)
	}
	g, err := read([]string{first, second}, map[string]string{first: fields[0], second: fields[1]})
	if err != nil {
		return nil, 0, console.Usagef("--%s %q: %s", flag, text, plain(err))
	}
	times := 1
	if len(fields) == 3 {
		if times, err = timesOf(fields[2]); err != nil {
			return nil, 0, console.Usagef("--%s %q: %s", flag, text, plain(err))
		}
	}
	return g, times, nil
}
