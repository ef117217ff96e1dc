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

With --gaussian they are Gaussian mechanisms, which compose without loss: the squares of L2 sensitivity over sigma add
up.

With --laplace or --geometric, alone or beside --gaussian, they are mechanisms of one release whose parameters are fixed
beforehand: an upper bound from the distribution of the privacy loss. It must not size a later release.

With --part nothing is known of them but their epsilon and delta. compose then prints the sum, Theorem 3.5 of Kairouz,
Oh and Viswanath 2017, their exact composition if all parts are alike, and, for comparison, what Gaussian mechanisms
that are just good enough for the same parts cost together.`

// mechanisms is a flag of compose that lists mechanisms of one kind. Each text of list is "x,y" or "x,y,times".
type mechanisms struct {
	flag, help    string
	first, second string // the names of x and y, such as sensitivity and sigma
	add           func(n numbers, times int) error
	list          []string
}

func (a *calibration) composeCmd() *cobra.Command {
	var known methods.Mixed
	var parts []methods.Part
	delta := ""
	kinds := []*mechanisms{
		{"gaussian", "a Gaussian mechanism, SENSITIVITY,SIGMA or SENSITIVITY,SIGMA,TIMES (repeatable)", "sensitivity",
			"sigma",
			func(n numbers, times int) error {
				known.Gaussian = append(known.Gaussian, slices.Repeat([]calibrate.Mechanism{n.mechanism()}, times)...)
				return nil
			}, nil},
		{"laplace", "a Laplace mechanism, L1-SENSITIVITY,SCALE or with ,TIMES (repeatable)", "sensitivity", "scale",
			func(n numbers, times int) error {
				one := calibrate.Laplace{L1: n["sensitivity"], Scale: n["scale"]}
				known.Laplace = append(known.Laplace, slices.Repeat([]calibrate.Laplace{one}, times)...)
				return nil
			}, nil},
		{"geometric", "a two-sided geometric mechanism, L1-SENSITIVITY,SCALE or with ,TIMES (repeatable)", "sensitivity",
			"scale",
			func(n numbers, times int) error {
				one, err := n.geometric(n["scale"])
				known.Geometric = append(known.Geometric, slices.Repeat([]methods.Geometric{one}, times)...)
				return err
			}, nil},
		{"part", "any mechanism, EPSILON,DELTA or EPSILON,DELTA,TIMES (repeatable)", "epsilon", "delta",
			func(n numbers, times int) error {
				parts = append(parts, methods.Part{Guarantee: n.guarantee(), Times: times})
				return nil
			}, nil},
	}
	cmd := &cobra.Command{
		Use: "compose", Short: "What several mechanisms cost together", Long: composeLong, Args: cobra.NoArgs,
		Example: "  release calibrate compose --gaussian 1,10,100 --delta 1e-6\n  release calibrate compose --part " +
			"0.1,1e-9,100 --delta 1e-6",
		RunE: func(*cobra.Command, []string) error {
			n, err := read([]string{"delta"}, map[string]string{"delta": delta})
			if err != nil {
				return console.Usagef("%s", plain(err))
			}
			for _, k := range kinds {
				if err := k.read(); err != nil {
					return err
				}
			}
			var rows []row
			switch some := len(known.Gaussian)+len(known.Laplace)+len(known.Geometric) > 0; {
			case some == (len(parts) > 0):
				return console.Usagef("give either --part or some of --gaussian, --laplace and --geometric")
			case some:
				rows, err = composeKnown(known, n.guarantee().Delta)
			default:
				rows, err = composeParts(parts, n.guarantee().Delta)
			}
			if err != nil {
				return answerError(err)
			}
			return a.print([]column{{"composition", "composition", nil}, {"epsilon", "epsilon", up}, {"delta", "delta", up}},
				rows)
		},
	}
	for _, k := range kinds {
		cmd.Flags().StringArrayVar(&k.list, k.flag, nil, k.help)
	}
	cmd.Flags().StringVar(&delta, "delta", "", "the delta of all of them together")
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the answer as JSON")
	return cmd
}

// read parses the list and adds its mechanisms.
func (k *mechanisms) read() error {
	for _, text := range k.list {
		fields := strings.Split(text, ",")
		if len(fields) != 2 && len(fields) != 3 {
			return console.Usagef("--%s %q: write %s,%s or %s,%s,times", k.flag, text, k.first, k.second, k.first, k.second)
		}
		n, err := read([]string{k.first, k.second}, map[string]string{k.first: fields[0], k.second: fields[1]})
		times := 1
		if err == nil && len(fields) == 3 {
			times, err = timesOf(fields[2])
		}
		if err == nil {
			err = k.add(n, times)
		}
		if err != nil {
			return console.Usagef("--%s %q: %s", k.flag, text, plain(err))
		}
	}
	return nil
}

func composed(name string, g calibrate.Guarantee, err error) row {
	if err != nil {
		return row{"composition": name, "error": plain(err)}
	}
	return row{"composition": name, "epsilon": float64(g.Epsilon), "delta": float64(g.Delta)}
}

// composeKnown composes mechanisms whose noise distribution is known.
func composeKnown(m methods.Mixed, delta calibrate.Delta) ([]row, error) {
	if len(m.Laplace)+len(m.Geometric) > 0 {
		eps, err := m.Epsilon(delta)
		return []row{composed("one release", calibrate.Guarantee{Epsilon: eps, Delta: delta}, nil)}, err
	}
	g, err := calibrate.Compose(m.Gaussian, delta)
	return []row{composed("gaussian", g, nil)}, err
}

// composeParts composes mechanisms about which only an epsilon and a delta are known.
func composeParts(parts []methods.Part, delta calibrate.Delta) ([]row, error) {
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
	g, err := composeAlike(parts, delta)
	return append(rows, composed("as gaussian", g, err)), nil
}

// composeAlike composes Gaussian mechanisms. The parts have their epsilons and deltas.
func composeAlike(parts []methods.Part, delta calibrate.Delta) (calibrate.Guarantee, error) {
	var alike []calibrate.Mechanism
	one := calibrate.Sensitivity{L2: 1}
	for _, p := range parts {
		sigma, err := calibrate.AnalyticGaussian(one, p.Guarantee)
		if err != nil {
			return calibrate.Guarantee{}, err
		}
		alike = append(alike, slices.Repeat([]calibrate.Mechanism{{Sens: one, Sigma: sigma}}, p.Times)...)
	}
	return calibrate.Compose(alike, delta)
}
