package denoise

import (
	"context"
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/denoise"
)

// MethodFlag is the flag --method, which may be repeated.
type MethodFlag struct{ *stepFlags }

// Last returns the method that was given last, "" if none was.
func (f MethodFlag) Last() string {
	if len(f.list) == 0 {
		return ""
	}
	return f.list[len(f.list)-1].method
}

// String returns "": the flag has no default.
func (MethodFlag) String() string { return "" }

// Type returns the word for the flag's value in the help.
func (MethodFlag) Type() string { return "name" }

// Set adds a step with the method of this name.
func (f MethodFlag) Set(name string) error {
	f.list = append(f.list, stepFlag{name, denoise.Args{}})
	for _, text := range f.early {
		if err := (setFlag(f)).Set(text); err != nil {
			return err
		}
	}
	f.early = nil
	return nil
}

type setFlag struct{ *stepFlags }

// String returns "": the flag has no default.
func (setFlag) String() string { return "" }

func (setFlag) Type() string { return "name=value" }

// Set sets a parameter of the last step.
func (f setFlag) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	switch {
	case !ok || name == "":
		return fmt.Errorf("write --set name=value")
	case len(f.list) == 0:
		f.early = append(f.early, text)
		return nil
	}
	last := &f.list[len(f.list)-1]
	if _, twice := last.args[name]; twice {
		return fmt.Errorf("%s has %s twice", last.method, name)
	}
	last.args[name] = value
	return nil
}

// names returns the names of the steps' methods, in order.
func (f *stepFlags) names() string {
	var names []string
	for _, s := range f.list {
		names = append(names, s.method)
	}
	return strings.Join(names, ", ")
}

func (f *stepFlags) build() ([]*denoise.Step, error) {
	var steps []*denoise.Step
	for _, s := range f.list {
		step, err := denoise.New(s.method, s.args)
		if err != nil {
			return nil, denoiseFailed(err)
		}
		steps = append(steps, step)
	}
	if err := denoise.Check(steps); err != nil {
		return nil, denoiseFailed(err)
	}
	return steps, nil
}

// bind tells the steps how the rows are arranged. Steps that take a graph get the graph; for others the rows are
// consecutive, unless --shape is given. unused is set if there is a graph that no step takes.
func (f *denoiseFlags) bind(ctx context.Context, steps []*denoise.Step, in *noisyTable) (bound []*denoise.Step,
	unused bool, err error) {
	network, err := f.network(ctx, in)
	if err != nil {
		return nil, false, err
	}
	unused = network != nil
	for _, step := range steps {
		shape := in.shape
		if network != nil {
			if with, err := step.WithGraph(network); err == nil {
				step, unused = with, false
			} else if in.unordered {
				shape = denoise.Line(len(in.rows))
			}
		}
		if step, err = step.Bind(shape); err != nil {
			return nil, false, denoiseFailed(err)
		}
		bound = append(bound, step)
	}
	return bound, unused, nil
}

// printMethods lists the methods with their parameters.
func (a *denoising) printMethods() error {
	text := ""
	for _, m := range denoise.Methods() {
		text += console.Fill("%s%s\n    %s\n", m.Name, needs(m), m.Doc)
		for _, p := range m.Params {
			text += console.Fill("    --set %s=%s  %s%s\n", p.Name, choices(p), p.Doc, byDefault(p))
		}
	}
	return a.Print(text)
}

func needs(m denoise.Method) string {
	return map[denoise.Need]string{
		denoise.NeedsOrder: " (needs rows in an order)", denoise.NeedsLine: " (needs one dimension with an order)",
		denoise.NeedsGraph: " (needs a graph, or rows in an order)",
	}[m.Needs]
}

// choices lists the values that a parameter may have.
func choices(p denoise.Param) string {
	options := p.Words
	switch p.Type {
	case denoise.Boolean:
		options = []string{"true", "false"}
	case denoise.Decimal:
		options = append(options[:len(options):len(options)], "NUMBER")
	case denoise.Integer:
		options = append(options[:len(options):len(options)], "COUNT")
	}
	return strings.Join(options, "|")
}

func byDefault(p denoise.Param) string {
	if p.Default == "" {
		return " (must be given)"
	}
	return " (absent: " + p.Default + ")"
}
