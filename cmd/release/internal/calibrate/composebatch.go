package calibrate

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
)

const composeBatch = `

--batch KIND reads a CSV with a header on stdin, each row of which is a composition of its own, of mechanisms that are all alike, and writes
the same rows with the epsilon at the row's delta and an error added. The columns of KIND gaussian are sigma, times, delta and, if not 1,
sensitivity; those of laplace and geometric the same with scale for sigma; those of part are part_epsilon, part_delta, times and delta,
and the answer is the exact composition. --delta serves for the column of that name. Numbers are the nearest float64. Exit code 1: a row has an error.`

// alike are mechanisms of one kind, all alike, whose composition a batch asks for.
type alike struct {
	kind    string
	needs   []string
	epsilon func(in *given, times int, delta calibrate.Delta) (calibrate.Epsilon, error)
}

var kinds = []alike{
	{"gaussian", []string{"sigma", "times", "delta"}, func(in *given, times int, delta calibrate.Delta) (calibrate.Epsilon,
		error) {
		g, err := calibrate.Compose(slices.Repeat([]calibrate.Mechanism{in.mechanism()}, times), delta)
		return g.Epsilon, err
	}},
	{"laplace", []string{"scale", "times", "delta"}, func(in *given, times int, delta calibrate.Delta) (calibrate.Epsilon,
		error) {
		one := calibrate.Laplace{L1: in.sensitivity.L2, Scale: in.scale}
		return methods.Mixed{Laplace: slices.Repeat([]calibrate.Laplace{one}, times)}.Epsilon(delta)
	}},
	{"geometric", []string{"scale", "times", "delta"}, func(in *given, times int,
		delta calibrate.Delta) (calibrate.Epsilon, error) {
		one, err := in.geometric(in.scale)
		if err != nil {
			return 0, err
		}
		return methods.Mixed{Geometric: slices.Repeat([]methods.Geometric{one}, times)}.Epsilon(delta)
	}},
	{"part", []string{"part_epsilon", "part_delta", "times", "delta"},
		func(in *given, times int, delta calibrate.Delta) (calibrate.Epsilon, error) {
			return methods.Part{Guarantee: in.part, Times: times}.Epsilon(delta)
		}},
}

// CompositionKinds are the words that compose --batch takes.
func CompositionKinds() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.kind
	}
	return names
}

// composeAll answers for each row of stdin.
func (a *calibration) composeAll(cmd *cobra.Command, kind, delta string) error {
	i := slices.Index(CompositionKinds(), kind)
	if i < 0 {
		return console.Usagef("--batch knows %s", strings.Join(CompositionKinds(), ", "))
	}
	if err := refuseJSON(cmd); err != nil {
		return err
	}
	for _, name := range []string{"gaussian", "laplace", "geometric", "part"} {
		if cmd.Flags().Changed(name) {
			return console.Usagef("--%s: with --batch the mechanisms are the rows of the input", name)
		}
	}
	fixed := map[string]string{}
	if cmd.Flags().Changed("delta") {
		fixed["delta"] = delta
	}
	k := kinds[i]
	needs := slices.DeleteFunc(slices.Clone(k.needs), func(name string) bool { return fixed[name] != "" })
	b := batch{needs: needs, fixed: fixed, name: "epsilon", answer: func(row map[string]string) (float64, error) {
		times, err := timesOf(row["times"])
		if err != nil {
			return 0, err
		}
		in, err := readAs(nearest, slices.DeleteFunc(slices.Clone(k.needs),
			func(name string) bool { return name == "times" }), row)
		if err != nil {
			return 0, err
		}
		eps, err := k.epsilon(in, times, in.guarantee.Delta)
		return float64(eps), err
	}}
	return b.run(cmd.InOrStdin(), a.Stdout)
}
