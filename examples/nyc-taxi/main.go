// Command nyc-taxi releases where the yellow cabs of New York picked up and dropped off in one hour. From the
// repository's root:
//
//	go run ./examples/nyc-taxi
package main

import (
	"os"

	"github.com/dprelease/dprelease/examples/internal/example"
	"github.com/dprelease/dprelease/examples/internal/experiment"
)

func main() { os.Exit(experiment.Main(taxi().Execute)) }

const noArchive = "the Taxi and Limousine Commission now publishes zones without positions and cabs, and the records " +
	"of 2013 that " +
	"had both have no stable public address"

// taxi returns the example. It also runs on files of another hour than the original, if they have the same columns.
func taxi() example.Example {
	return example.Example{
		Dir: "examples/nyc-taxi",
		Files: []example.File{
			{From: "taxi/nyc_*_trips.csv.gz"},
			{From: "graph/manhattan_junctions_3874.csv", To: junctionsFile},
			{From: "graph/manhattan_sections_7070.csv", To: sectionsFile},
		},
		Known: map[string]string{
			"nyc_2013-01-01_00h_trips.csv.gz": "874a299a6972f96228d27c238abaf7ef3bec941dc39592e29b99332ba6c16a93",
			"manhattan_sections_7070.csv":     "0589749bd0c379c212c5c19ee5c298e2c4c58ab7d9322d469e313712634a69a4",
			"manhattan_junctions_3874.csv":    "6a8f07758fad092333d5164d708c201c46e7ad9acccd4ea8f6e10741565ff0bf",
		},
		NoArchive: noArchive,
		Synthetic: func(dir string) error { return city{trips: 10000, cabs: 5500}.write(dir) },
		Count:     count,
		Evaluate:  evaluate,
	}
}
