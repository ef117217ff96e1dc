// Command calibration reproduces what the papers say about how much Gaussian noise an (epsilon, delta) needs: Balle &
// Wang 2018, Figures 1 and 3 on the left; Zhao et al. 2019, Figures 1 to 3 and Tables I to III. From the repository's
// root:
//
//	go run ./examples/calibration
package main

import (
	"os"

	"github.com/dprelease/dprelease/examples/internal/experiment"
)

func main() { os.Exit(experiment.Main(calibration().Execute)) }

// calibration makes all tables and figures. It uses no random numbers.
func calibration() experiment.Experiment {
	return experiment.Experiment{Dir: "examples/calibration",
		Run: experiment.Parts(gains, failures, mechanisms, tables, errata)}
}
