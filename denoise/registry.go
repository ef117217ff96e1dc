package denoise

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A method lives in one place
//
// Each method is one function that describes it: its name, its parameters with their ranges, what it needs to know of the cells and which
// answers it fits. register makes it known, and that is all: jobs, their schema and reference page, shell completion and `release denoise`
// read the registry. A new method is one file of this package.

// Method describes one kind of step.
type Method struct {
	// Name is what a job writes.
	Name string
	// Aliases are names of other tools, for hints.
	Aliases []string
	// Doc is one sentence.
	Doc    string
	Params []Param
	// KnownNoise: the method needs independent noise of known standard deviation, so it must come first.
	KnownNoise bool
	// Needs is what it must know of the cells.
	Needs Need
	// TakesGraph: the method makes use of a graph if there is one.
	TakesGraph bool
	// ForCounts: the method makes no sense for centred sums.
	ForCounts bool

	build func(Args) (rule, error)
	// probe, if set, says whether cells that the method fits are too many for it.
	probe func(Args, structure) error
}

var registry []func() Method

// register makes a method known; the result only lets it stand beside the method's function.
func register(m func() Method) bool {
	registry = append(registry, m)
	return true
}

// Methods returns every method there is, sorted by name.
func Methods() []Method {
	var methods []Method
	for _, m := range registry {
		methods = append(methods, m().clippable())
	}
	slices.SortFunc(methods, func(a, b Method) int { return strings.Compare(a.Name, b.Name) })
	return methods
}

// New returns the step of that method. An unknown method or parameter, a missing one or a value out of a parameter's
// range is an [*Error]. A method that needs to know how the cells lie is told by [Bind] or [WithGraph].
func New(method string, args Args) (Step, error) {
	m, errs := judge(method, args)
	if len(errs) > 0 {
		return nil, errs[0]
	}
	rule, err := m.build(args)
	if err != nil {
		return nil, err
	}
	return step{method: m, rule: rule, args: maps.Clone(args), alone: alone(method, args)}, nil
}

// judge finds the method, and everything that is wrong with a step of it by itself.
func judge(method string, args Args) (m Method, errs []*Error) {
	m, ok := lookup(method)
	if !ok {
		return m, []*Error{{Code: CodeUnknownMethod, Message: fmt.Sprintf("no denoising method is called %q", method), Hint: suggestMethod(method)}}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		i := slices.IndexFunc(m.Params, func(p Param) bool { return p.Name == name })
		if i < 0 {
			errs = append(errs, m.foreign(name))
		} else if e := m.Params[i].check(args[name]); e != nil {
			errs = append(errs, e)
		}
	}
	for _, p := range m.Params {
		if _, given := args[p.Name]; p.Default == "" && !given {
			errs = append(errs, &Error{Code: CodeMissing, Message: fmt.Sprintf("%s needs %s", method, p.Name), Hint: "add " + p.Name + ": " + p.Doc})
		}
	}
	return m, errs
}

// foreign is the error of a parameter that the method does not have.
func (m Method) foreign(name string) *Error {
	return &Error{Code: CodeUnknownParameter, Message: fmt.Sprintf("%s has no parameter %q", m.Name, name), Hint: suggest(name, m.paramNames()), Param: name}
}

// ownersOf lists the methods of which something holds.
func ownersOf(such func(Method) bool) (names []string) {
	for _, m := range Methods() {
		if such(m) {
			names = append(names, m.Name)
		}
	}
	return names
}

// suggestMethod names the method that a word stands for: that of other tools, or the nearest by its spelling.
func suggestMethod(word string) string {
	plain := strings.ReplaceAll(strings.ToLower(word), "-", "_")
	for _, m := range Methods() {
		if slices.Contains(m.Aliases, plain) {
			return "did you mean " + m.Name + "?"
		}
	}
	return suggest(word, methodNames())
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
