package denoise

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
)

// Args holds the parameters of a step in the spelling of a job: numbers, words and booleans as text. A missing
// parameter has its default.
type Args map[string]string

// ParamType is the kind of text that a parameter may have.
type ParamType string

// The parameter types.
const (
	Boolean ParamType = "boolean" // true or false
	Decimal ParamType = "decimal"
	Integer ParamType = "integer"
	Word    ParamType = "word" // one of the words in Param.Words
)

// Param describes one parameter of a method.
type Param struct {
	Name string
	Type ParamType
	// Words are texts that are allowed instead of a number. A parameter of type Word allows no other text.
	Words []string
	// Default is the text of the default value, or a formula for it. It is empty if the parameter is required.
	Default string
	// Doc is one sentence about the parameter. It names the unit.
	Doc string
	// Example is a typical value in a job.
	Example string
	// AtLeast0 rejects numbers below 0. Positive also rejects 0, even if the method itself accepts 0.
	AtLeast0, Positive bool
	// Least and Most are the bounds of a parameter of type Integer. If Most is 0, there is no upper bound.
	Least, Most int
	// Advice is the hint in the error for a value that is out of range.
	Advice string
	// InUnit is set if the parameter is a number in the unit of the query's answer. A step on a vector in another unit
	// cannot use it.
	InUnit bool
}

// checkText returns an error if the parameter may not have this text.
func (p Param) checkText(text string) *Error {
	bad := func(code, message, hint string) *Error {
		return &Error{Code: code, Message: message, Hint: hint, Param: p.Name}
	}
	if slices.Contains(p.Words, text) {
		return nil
	}
	switch p.Type {
	case Boolean:
		if text == "true" || text == "false" {
			return nil
		}
		return bad(CodeWrongType, fmt.Sprintf("expected true or false, found %q", text),
			"write true or false, without quotes")
	case Word:
		return bad(CodeBadValue, fmt.Sprintf("unknown value %q", text), suggest(text, p.Words))
	case Integer:
		return p.checkInteger(text, bad)
	}
	x, ok := parse(text)
	switch {
	case !ok && len(p.Words) > 0:
		hint := suggest(text, p.Words)
		if strings.HasPrefix(hint, "known: ") {
			hint = "write a number, or " + strings.Join(p.Words, ", ")
		}
		return bad(CodeBadValue, fmt.Sprintf("unknown value %q", text), hint)
	case !ok:
		return bad(CodeWrongType, fmt.Sprintf("expected a number, found %q", text), "write digits such as 0.5 or 1e-6")
	case p.AtLeast0 && x < 0:
		return bad(CodeBadValue, "must be at least 0, is "+text, p.Advice)
	}
	return nil
}

func (p Param) checkInteger(text string, bad func(code, message, hint string) *Error) *Error {
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
		return bad(CodeWrongType, fmt.Sprintf("expected an integer, found %q", text), "write digits such as 5")
	case n < p.Least:
		return bad(CodeBadValue, fmt.Sprintf("must be at least %d, is %d", p.Least, n), p.Advice)
	case p.Most > 0 && n > p.Most:
		return bad(CodeBadValue, fmt.Sprintf("must be at most %d, is %d", p.Most, n), p.Advice)
	}
	return nil
}

// text returns the parameter's text or its default.
func (a Args) text(p Param) string {
	if text, ok := a[p.Name]; ok {
		return text
	}
	return p.Default
}

// boolean returns the value of a Boolean parameter, or its default. Like the methods below, it needs a text that
// checkText accepts.
func (a Args) boolean(p Param) bool { return a.text(p) == "true" }

// given returns the parameter's number. ok is false if the job does not contain the parameter.
func (a Args) given(p Param) (value float64, ok bool) { return parse(a[p.Name]) }

// choice returns the parameter's word if its text is one of its words, and its number otherwise.
func (a Args) choice(p Param) (word string, value float64) {
	text := a.text(p)
	if slices.Contains(p.Words, text) {
		return text, 0
	}
	value, _ = parse(text)
	return "", value
}

// integer returns the value of an Integer parameter, or its default.
func (a Args) integer(p Param) int {
	n, _ := strconv.Atoi(a.text(p))
	return n
}

// parse reads a finite decimal.
func parse(text string) (value float64, ok bool) {
	value, err := calibrate.ParseNearest(text)
	return value, err == nil
}
