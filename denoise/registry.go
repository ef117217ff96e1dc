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
	// KnownNoise is set if the method needs independent noise of known standard deviation, so that it must come first.
	KnownNoise bool
	// Needs is what it must know about the cells.
	Needs Need
	// TakesGraph is set if the method uses a graph of the cells when it is given one.
	TakesGraph bool

	build func(Args) (rule, error)
	// probe returns an error if the method cannot take this many cells; nil if it can take any number.
	probe func(Args, structure) error
}

// Methods returns all methods, sorted by name.
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

// New returns the step of a method. It returns an [*Error] if the method or a parameter is unknown, if a parameter is
// missing, or if a value is out of range. [Bind] or [WithGraph] tell the step the order or the graph of the cells if
// its method needs them.
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
