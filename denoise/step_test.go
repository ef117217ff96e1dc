package denoise_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/denoise"
)

func TestParametersReachTheEstimators(t *testing.T) {
	y, s := []float64{10, -4, 2}, 40.01
	for _, c := range []struct {
		method string
		args   denoise.Args
		want   []float64
	}{
		{"soft-threshold", denoise.Args{"threshold": "3"}, []float64{7, -1, 0}},
		{"soft-threshold", denoise.Args{"threshold": "0"}, y},
		{"james-stein", denoise.Args{"positive_part": "false"}, denoise.JamesStein(y, s, false)},
		{"james-stein", nil, []float64{0, 0, 0}},
		{"james-stein", denoise.Args{"positive_part": "true"}, []float64{0, 0, 0}},
	} {
		step, err := denoise.New(c.method, c.args)
		if err != nil {
			t.Fatal(err)
		}
		got, err := step.Estimate(t.Context(), y, s)
		if err != nil || !slices.Equal(got.X, c.want) {
			t.Errorf("%s %v: %v, %v, want %v", c.method, c.args, got.X, err, c.want)
		}
	}
}

// A Step that New did not make returns an error and does not panic.
func TestEmptyStepsRefuse(t *testing.T) {
	var e *denoise.Error
	if _, err := new(denoise.Step).Estimate(t.Context(), []float64{1, 2}, 1); !errors.As(err, &e) {
		t.Errorf("%v", err)
	}
	if _, err := denoise.Estimate(t.Context(), []float64{1, 2}, 1, []*denoise.Step{{}}); !errors.As(err, &e) {
		t.Errorf("%v", err)
	}
}
