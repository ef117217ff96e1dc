package denoise

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestMethodsAreDescribed(t *testing.T) {
	var listed []string
	for _, m := range Methods() {
		listed = append(listed, m.Name)
		if m.Doc == "" {
			t.Errorf("%s: no sentence", m.Name)
		}
		for _, p := range m.Params {
			if p.Name == "" || p.Doc == "" || p.Type == "" || (p.Type == Word) != (p.Words != nil && !numeric(p)) {
				t.Errorf("%s: parameter %+v is not described", m.Name, p)
			}
		}
		s, err := New(m.Name, required(m))
		if err != nil || s.Name() != m.Name {
			t.Errorf("New(%q, nil) = %v, %v", m.Name, s, err)
		}
	}
	// Names that existing jobs use stay; a new method only adds names.
	for _, want := range strings.Fields("auto empirical-bayes hard-threshold isotonic james-stein nonnegative round " +
		"soft-threshold total " +
		"total-variation tree-ensemble tree-wavelet trend-filter wavelet") {
		if !slices.Contains(listed, want) {
			t.Errorf("methods %v, without %s", listed, want)
		}
	}
	if !slices.IsSorted(listed) || len(slices.Compact(slices.Clone(listed))) != len(listed) {
		t.Errorf("methods %v are not sorted, or one is there twice", listed)
	}
}

func numeric(p Param) bool { return p.Type == Decimal || p.Type == Integer }

// required returns the value 1 for every parameter that has no default.
func required(m Method) Args {
	args := Args{}
	for _, p := range m.Params {
		if p.Default == "" {
			args[p.Name] = "1"
		}
	}
	return args
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		method     string
		args       Args
		code, hint string
	}{
		{"james-stien", nil, CodeUnknownMethod, "did you mean james-stein?"},
		{"JAMES_STEIN", nil, CodeUnknownMethod, "did you mean james-stein?"},
		{"non-negative", nil, CodeUnknownMethod, "did you mean nonnegative?"},
		{"kalman", nil, CodeUnknownMethod, "known: auto, empirical-bayes, "},
		{"", nil, CodeUnknownMethod, "known: "},
		{"james-stein", Args{"positive": "true"}, CodeUnknownParameter, "positive_part"},
		{"soft-threshold", Args{"treshold": "1"}, CodeUnknownParameter, "did you mean threshold?"},
		{"round", Args{"digits": "1"}, CodeUnknownParameter, "it takes none"},
		{"james-stein", Args{"positive_part": "yes"}, CodeWrongType, ""},
		{"james-stein", Args{"positive_part": ""}, CodeWrongType, ""},
		{"soft-threshold", Args{"threshold": "-1"}, CodeBadValue, ""},
		{"soft-threshold", Args{"threshold": "NaN"}, CodeBadValue, ""},
		{"soft-threshold", Args{"threshold": "inf"}, CodeBadValue, ""},
		{"soft-threshold", Args{"threshold": "1e999"}, CodeBadValue, ""},
		{"soft-threshold", Args{"threshold": "0x10"}, CodeBadValue, ""},
		{"soft-threshold", Args{"threshold": ""}, CodeBadValue, ""},
		{"soft-threshold", Args{"threshold": "level"}, CodeBadValue, ""},
		{"hard-threshold", Args{"threshold": "-0.5"}, CodeBadValue, ""},
		{"wavelet", Args{"threshold": "soft"}, CodeBadValue, ""},
		{"wavelet", Args{"invariant": "1"}, CodeWrongType, ""},
		{"james-stein", Args{"toward": "median"}, CodeBadValue, ""},
		{"james-stein", Args{"toward": "nan"}, CodeBadValue, ""},
		{"james-stein", Args{"prior_variance": "-1"}, CodeBadValue, ""},
		{"total", nil, CodeMissing, "public sum"},
		{"total", Args{"total": "many"}, CodeWrongType, ""},
		{"total", Args{"total": "-1", "nonnegative": "true"}, CodeBadValue, ""},
		{"isotonic", Args{"direction": "up"}, CodeBadValue, ""},
		{"total-variation", Args{"lambda": "-3"}, CodeBadValue, ""},
		{"trend-filter", Args{"k": "3"}, CodeBadValue, ""},
		{"tree-ensemble", Args{"trees": "0"}, CodeBadValue, ""},
		{"tree-ensemble", Args{"trees": "2.5"}, CodeWrongType, ""},
		{"tree-wavelet", Args{"threshold": "big"}, CodeBadValue, ""},
	} {
		step, err := New(c.method, c.args)
		var e *Error
		if !errors.As(err, &e) || step != nil {
			t.Errorf("New(%q, %v) = %v, %v, want an error", c.method, c.args, step, err)
			continue
		}
		if e.Code != c.code || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("New(%q, %v): %s: %v, want %s and %q", c.method, c.args, e.Code, e, c.code, c.hint)
		}
	}
}

func TestCheckOrder(t *testing.T) {
	for _, c := range []struct{ steps, hint string }{
		{"", ""},
		{"james-stein", ""},
		{"james-stein nonnegative round", ""},
		{"soft-threshold round nonnegative round", ""},
		{"nonnegative round", ""},
		{"nonnegative james-stein", "put james-stein first"},
		{"round nonnegative soft-threshold", "put soft-threshold first"},
		{"james-stein soft-threshold", "one such step is enough"},
		{"james-stein nonnegative james-stein", "one such step is enough"},
	} {
		var steps []*Step
		for _, name := range strings.Fields(c.steps) {
			s, err := New(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			steps = append(steps, s)
		}
		err := Check(steps)
		var e *Error
		if refused := errors.As(err, &e); refused != (c.hint != "") ||
			(refused && (e.Code != CodeOrder || e.Hint != c.hint)) {
			t.Errorf("Check(%s) = %v, want the hint %q", c.steps, err, c.hint)
		}
	}
}
