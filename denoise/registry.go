package denoise

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// # The registry
//
// Each method has a function that returns its [Method]. register adds this function to the registry. Jobs, their schema
// and reference page, shell completion and `release denoise` read the registry. So a new method is one file of this
// package.

var registry []func() Method

// register adds a method to the registry. It is called from an init in the method's file.
func register(m func() Method) { registry = append(registry, m) }

// Methods returns all methods, sorted by name.
func Methods() []Method {
	var methods []Method
	for _, m := range registry {
		methods = append(methods, m().clippable())
	}
	slices.SortFunc(methods, func(a, b Method) int { return strings.Compare(a.Name, b.Name) })
	return methods
}

// checkArgs returns the named method and all errors in its parameters. It does not check anything else in the job.
func checkArgs(method string, args Args) (m Method, errs []*Error) {
	m, ok := lookup(method)
	if !ok {
		return m, []*Error{{Code: CodeUnknownMethod, Message: fmt.Sprintf("no denoising method is called %q", method),
			Hint: suggestMethod(method)}}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		i := slices.IndexFunc(m.Params, func(p Param) bool { return p.Name == name })
		if i < 0 {
			errs = append(errs, m.unknownParameter(name))
		} else if e := m.Params[i].checkText(args[name]); e != nil {
			errs = append(errs, e)
		}
	}
	for _, p := range m.Params {
		if _, given := args[p.Name]; p.Default == "" && !given {
			errs = append(errs, &Error{Code: CodeMissing, Message: fmt.Sprintf("%s needs %s", method, p.Name), Hint: "add " +
				p.Name + ": " + p.Doc})
		}
	}
	wrong := slices.ContainsFunc(errs, func(e *Error) bool { return e.Code != CodeUnknownParameter })
	if !wrong && m.conflict != nil {
		if e := m.conflict(args); e != nil {
			errs = append(errs, e)
		}
	}
	return m, errs
}

// ownersOf returns the names of the methods for which has returns true.
func ownersOf(has func(Method) bool) (names []string) {
	for _, m := range Methods() {
		if has(m) {
			names = append(names, m.Name)
		}
	}
	return names
}

// suggestMethod returns a hint with the method that an unknown word may mean. The word may be another tool's name of
// the method, or a misspelling.
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
