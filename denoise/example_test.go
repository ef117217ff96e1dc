package denoise_test

import (
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

func ExampleNew() {
	_, err := denoise.New("james-stien", nil)
	fmt.Println(err)
	// Output: no denoising method is called "james-stien" (did you mean james-stein?)
}
