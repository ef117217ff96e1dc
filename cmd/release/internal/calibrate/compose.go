package calibrate

import (
	"slices"
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

func (a *calibration) composeCmd() *cobra.Command {
	var gaussian, laplace, geometric, parts []string
	var delta string
	cmd := &cobra.Command{
		Use: "compose", Short: "What several mechanisms cost together", Long: composeLong, Args: cobra.NoArgs,
		Example: "  release calibrate compose --gaussian 1,10,100 --delta 1e-6\n  release calibrate compose --part " +
			"0.1,1e-9,100 --delta 1e-6",
		RunE: func(*cobra.Command, []string) error {
			n, err := read(safeSide, []string{"delta"}, map[string]string{"delta": delta})
			if err != nil {
				return console.Usagef("%s", plain(err))
			}
			known := len(gaussian)+len(laplace)+len(geometric) > 0
			if known == (len(parts) > 0) {
				return console.Usagef("give either --part or some of --gaussian, --laplace and --geometric")
			}
			var rows []row
			if known {
				rows, err = composeKnown(gaussian, laplace, geometric, calibrate.Delta(n["delta"]))
			} else {
				rows, err = composeParts(parts, calibrate.Delta(n["delta"]))
			}
			if err != nil {
				return answerError(err)
			}
			return a.print([]column{{"composition", "composition", nil}, {"epsilon", "epsilon", up}, {"delta", "delta", up}}, rows)
		},
	}
	for _, f := range []struct {
		list       *[]string
		name, help string
	}{
		{&gaussian, "gaussian", "a Gaussian mechanism, SENSITIVITY,SIGMA or SENSITIVITY,SIGMA,TIMES (repeatable)"},
		{&laplace, "laplace", "a Laplace mechanism, L1-SENSITIVITY,SCALE or with ,TIMES (repeatable)"},
		{&geometric, "geometric", "a two-sided geometric mechanism, L1-SENSITIVITY,SCALE or with ,TIMES (repeatable)"},
		{&parts, "part", "any mechanism, EPSILON,DELTA or EPSILON,DELTA,TIMES (repeatable)"},
	} {
		cmd.Flags().StringArrayVar(f.list, f.name, nil, f.help)
	}
	cmd.Flags().StringVar(&delta, "delta", "", "the delta of all of them together")
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the answer as JSON")
	return cmd
}

func composed(name string, g calibrate.Guarantee, err error) row {
	if err != nil {
		return row{"composition": name, "error": plain(err)}
	}
	return row{"composition": name, "epsilon": float64(g.Epsilon), "delta": float64(g.Delta)}
}

// composeKnown composes mechanisms whose noise is known.
func composeKnown(gaussian, laplace, geometric []string, delta calibrate.Delta) ([]row, error) {
	var m methods.Mixed
	err := each("gaussian", gaussian, "sensitivity", "sigma", func(n numbers, times int) error {
		m.Gaussian = append(m.Gaussian, slices.Repeat([]calibrate.Mechanism{n.mechanism()}, times)...)
		return nil
	})
	if err == nil {
		err = each("laplace", laplace, "sensitivity", "scale", func(n numbers, times int) error {
			one := calibrate.Laplace{L1: n["sensitivity"], Scale: n["scale"]}
			m.Laplace = append(m.Laplace, slices.Repeat([]calibrate.Laplace{one}, times)...)
			return nil
		})
	}
	if err == nil {
		err = each("geometric", geometric, "sensitivity", "scale", func(n numbers, times int) error {
			one, err := n.geometric(n["scale"])
			m.Geometric = append(m.Geometric, slices.Repeat([]methods.Geometric{one}, times)...)
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	if len(m.Laplace)+len(m.Geometric) > 0 {
		eps, err := m.Epsilon(delta)
		return []row{composed("one release", calibrate.Guarantee{Epsilon: eps, Delta: delta}, nil)}, err
	}
	g, err := calibrate.Compose(m.Gaussian, delta)
	return []row{composed("gaussian", g, nil)}, err
}

// composeParts composes mechanisms of which only an epsilon and a delta are known.
func composeParts(texts []string, delta calibrate.Delta) ([]row, error) {
	var parts []methods.Part
	var alike []calibrate.Mechanism // Gaussian mechanisms that meet the parts with nothing to spare
	one := calibrate.Sensitivity{L2: 1}
	var alikeErr error
	err := each("part", texts, "epsilon", "delta", func(n numbers, times int) error {
		parts = append(parts, methods.Part{Guarantee: n.guarantee(), Times: times})
		sigma, err := calibrate.AnalyticGaussian(one, n.guarantee())
		if err != nil {
			alikeErr = err
		}
		alike = append(alike, slices.Repeat([]calibrate.Mechanism{{Sens: one, Sigma: sigma}}, times)...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	basic, err := methods.ComposeBasic(parts)
	if err != nil {
		return nil, err
	}
	advanced, err := methods.AdvancedAt(parts, delta)
	rows := []row{composed("basic", basic, nil), composed("kairouz-3.5", advanced.Guarantee, err)}
	if len(parts) == 1 {
		eps, err := parts[0].Epsilon(delta)
		rows = append(rows, composed("exact", calibrate.Guarantee{Epsilon: eps, Delta: delta}, err))
	}
	var g calibrate.Guarantee
	if alikeErr == nil {
		g, alikeErr = calibrate.Compose(alike, delta)
	}
	return append(rows, composed("as gaussian", g, alikeErr)), nil
}

// each calls add for each text, which is "x,y" or "x,y,times".
func each(flag string, list []string, first, second string, add func(n numbers, times int) error) error {
	for _, text := range list {
		fields := strings.Split(text, ",")
		if len(fields) != 2 && len(fields) != 3 {
			return console.Usagef("--%s %q: write %s,%s or %s,%s,times", flag, text, first, second, first, second)
		}
		n, err := read(safeSide, []string{first, second}, map[string]string{first: fields[0], second: fields[1]})
		times := 1
		if err == nil && len(fields) == 3 {
			times, err = timesOf(fields[2])
		}
		if err != nil {
			return console.Usagef("--%s %q: %s", flag, text, plain(err))
		}
		if err := add(n, times); err != nil {
			return err
		}
	}
	return nil
}
