// Command composition reproduces figures of Kairouz, Oh & Viswanath 2017 and compares them with Gaussian composition:
// privacy regions (their Figure 2), bounds for up to 1,000 mechanisms, and the Johnson–Lindenstrauss mechanism for cuts
// of a graph (Appendix D). From the repository's root:
//
//	go run ./examples/composition
package main

import (
	"os"

	"github.com/dprelease/dprelease/examples/internal/experiment"
)

func main() { os.Exit(experiment.Main(composition().Execute)) }

func composition() experiment.Experiment {
	return experiment.Experiment{Dir: "examples/composition",
		Run: experiment.Parts(regions, bounds, noise, constants, cuts)}
}
