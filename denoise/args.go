package denoise

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
)

// Args are the parameters of a step as a job writes them: numbers, words and booleans as text. A parameter that is
// missing has its default.
type Args map[string]string

// ParamType is the type of a parameter's text.
type ParamType string

// The parameter types.
const (
	Boolean ParamType = "boolean" // true or false
	Decimal ParamType = "decimal"
	Integer ParamType = "integer"
	Word    ParamType = "word" // one of Param.Words
)

// Param describes one parameter of a method.
type Param struct {
	Name string
	Type ParamType
	// Words are the values that may be given instead of a number, or all values of a Word.
	Words []string
	// Default is the text or the formula that is used if the parameter is missing; empty if the parameter must be
	// given.
	Default string
	// Doc is one sentence, with the unit.
	Doc string
}

// text returns the parameter's text or its default.
func (a Args) text(p Param) string {
	if text, ok := a[p.Name]; ok {
		return text
	}
	return p.Default
}

// boolean returns the parameter's value. Its default must be such a text.
func (a Args) boolean(p Param) (bool, error) {
	switch text := a.text(p); text {
	case "true":
		return true, nil
	case "false":
		return false, nil
	default:
		return false, &Error{CodeBadValue, fmt.Sprintf("%s: %q is neither true nor false", p.Name, text), ""}
	}
}

// nonnegative returns the parameter's value; given is false if it is missing.
func (a Args) nonnegative(p Param) (value float64, given bool, err error) {
	text, given := a[p.Name]
	if !given {
		return 0, false, nil
	}
	value, ok := parse(text)
	if !ok || !(value >= 0) {
		return 0, true, &Error{CodeBadValue, fmt.Sprintf("%s: %q is not a decimal of at least 0", p.Name, text), ""}
	}
	return value, true, nil
}

// choice returns a word, or else the number that was given.
func (a Args) choice(p Param) (word string, value float64, err error) {
	text := a.text(p)
	if slices.Contains(p.Words, text) {
		return text, 0, nil
	}
	if value, ok := parse(text); ok && p.Type != Word {
		return "", value, nil
	}
	message := fmt.Sprintf("%s: %q is not %s", p.Name, text, p.options())
	return "", 0, &Error{CodeBadValue, message, ""}
}

// level returns a word, or else a number of at least 0.
func (a Args) level(p Param) (word string, value float64, err error) {
	word, value, err = a.choice(p)
	if err == nil && value < 0 {
		err = &Error{CodeBadValue, fmt.Sprintf("%s: %q is below 0", p.Name, a.text(p)), ""}
	}
	return word, value, err
}

// integer returns a whole number from 1 to largest. The parameter's default must be such a text.
func (a Args) integer(p Param, largest int) (int, error) {
	value, err := strconv.Atoi(a.text(p))
	if err != nil || value < 1 || value > largest {
		return 0, &Error{CodeBadValue, fmt.Sprintf("%s: %q is not a whole number from 1 to %d", p.Name, a.text(p), largest), ""}
	}
	return value, nil
}

func (p Param) options() string {
	options := slices.Clone(p.Words)
	if p.Type != Word {
		options = append(options, "a number")
	}
	if len(options) == 1 {
		return options[0]
	}
	return "one of " + strings.Join(options, ", ")
}

// parse reads a finite decimal.
func parse(text string) (value float64, ok bool) {
	value, err := calibrate.ParseNearest(text)
	return value, err == nil
}
