package denoise

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Method describes one kind of step.
type Method struct {
	// Name is what a job writes.
	Name string
	// Doc is one sentence.
	Doc    string
	Params []Param
	// KnownNoise: the method needs independent noise of known standard deviation, so it must come first.
	KnownNoise bool
	// Needs is what it must know of the cells.
	Needs Need
	// TakesGraph: the method makes use of a graph if there is one.
	TakesGraph bool

	build func(Args) (rule, error)
	// probe, if set, says whether cells that the method fits are too many for it.
	probe func(Args, structure) error
}

// Methods returns every method there is, sorted by name.
func Methods() []Method {
	methods := []Method{
		auto(), empiricalBayes(), hardThreshold(), isotonic(), jamesStein(), nonnegative(), round(), softThreshold(), total(),
		totalVariation(), treeEnsemble(), treeWavelet(), trendFilter(), wavelet(),
	}
	for i, m := range methods {
		methods[i] = m.clippable()
	}
	slices.SortFunc(methods, func(a, b Method) int { return strings.Compare(a.Name, b.Name) })
	return methods
}

// New returns the step of that method. An unknown method or parameter, a missing one or a value out of a parameter's
// range is an [*Error]. A method that needs to know how the cells lie is told by [Bind] or [WithGraph].
func New(method string, args Args) (Step, error) {
	m, ok := lookup(method)
	if !ok {
		return nil, &Error{CodeUnknownMethod, fmt.Sprintf("no denoising method is called %q", method), suggest(method, methodNames())}
	}
	known := m.paramNames()
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !slices.Contains(known, name) {
			return nil, &Error{CodeUnknownParameter, fmt.Sprintf("%s has no parameter %q", method, name), suggest(name, known)}
		}
	}
	for _, p := range m.Params {
		if _, given := args[p.Name]; p.Default == "" && !given {
			return nil, &Error{CodeMissing, fmt.Sprintf("%s needs %s", method, p.Name), p.Doc}
		}
	}
	rule, err := m.build(args)
	if err != nil {
		return nil, err
	}
	return step{method: m, rule: rule, args: maps.Clone(args), alone: alone(method, args)}, nil
}

func lookup(name string) (Method, bool) {
	methods := Methods()
	i := slices.IndexFunc(methods, func(m Method) bool { return m.Name == name })
	if i < 0 {
		return Method{}, false
	}
	return methods[i], true
}

func methodNames() []string {
	var out []string
	for _, m := range Methods() {
		out = append(out, m.Name)
	}
	return out
}

func (m Method) paramNames() []string {
	var out []string
	for _, p := range m.Params {
		out = append(out, p.Name)
	}
	return out
}
