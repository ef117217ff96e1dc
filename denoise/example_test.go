package denoise_test

import (
	"context"
	"fmt"

	"github.com/dprelease/dprelease/denoise"
)

// Four counts of which three are close to the noise's standard deviation: the factor takes off a quarter.
func ExampleJamesStein() {
	for _, v := range denoise.JamesStein([]float64{52, -31, 18, 95}, 40, true) {
		fmt.Printf("%.1f ", v)
	}
	// Output: 39.2 -23.4 13.6 71.6
}

// Hourly counts, released with noise of standard deviation 40: total variation joins neighbouring hours of about the
// same level.
func ExampleEstimate() {
	noisy := []float64{12, -35, 48, 610, 655, 590, 70, -8}
	step, err := denoise.New("total-variation", denoise.Args{"lambda": "60"})
	if err == nil {
		step, err = step.Bind(denoise.Line(len(noisy)))
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fit, err := denoise.Estimate(context.Background(), noisy, 40, []*denoise.Step{step})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range fit.X {
		fmt.Printf("%.0f ", x)
	}
	// Output: 18 18 48 578 578 578 70 52
}

func ExampleNew() {
	_, err := denoise.New("james-stien", nil)
	fmt.Println(err)
	// Output: no denoising method is called "james-stien" (did you mean james-stein?)
}
