// Command adult releases the joint histogram of the UCI Adult table's categorical attributes. From the repository's
// root:
//
//	go run ./examples/adult
package main

import (
	"os"
	"time"

	"github.com/dprelease/dprelease/examples/internal/example"
	"github.com/dprelease/dprelease/examples/internal/experiment"
)

func main() { os.Exit(experiment.Main(adult().Execute)) }

// adult returns the example. The original of its table is in the UCI Machine Learning Repository.
func adult() example.Example {
	return example.Example{
		Dir: "examples/adult",
		Files: []example.File{
			{From: "adult/adult.data", To: trainFile},
			{From: "adult/adult.test", To: testFile},
		},
		Known: map[string]string{
			"adult.data": "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
			"adult.test": "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
		},
		Archive: &example.Archive{
			URL:      "https://archive.ics.uci.edu/static/public/2/adult.zip",
			MaxBytes: 32 << 20, Timeout: time.Minute,
		},
		Synthetic: func(dir string) error { return synthetic(dir, trainRows, testRows) },
		Count:     count,
		Evaluate:  evaluate,
	}
}
