// Command release-beam aggregates the input of a job on Apache Beam and makes the release as the command release does.
package main

import (
	"os"

	"github.com/dprelease/dprelease/pipeline/beam/program"
)

func main() { os.Exit(program.Main()) }
