package stabilitytest

import (
	"testing"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
)

// Limits are an engine's limits of resources, on which answers must not depend.
type Limits struct {
	Workers int
	// Tight sets a memory limit that almost no rows fit, so that they are written to the scratch file.
	Tight bool
}

// Lab is the environment in which cases are tried: a folder, which is fastest in memory, and an engine.
type Lab struct {
	testing.TB
	Dir string
	// Open makes an engine over data. Closing the engine closes data. scratch is the folder for temporary files.
	Open func(data *source.Dataset, l Limits, scratch string) pipeline.Engine
	// OpenTables makes an engine over several tables, in the order of a plan. nil leaves out jobs with several tables.
	OpenTables func(data []*source.Dataset, l Limits, scratch string) pipeline.Engine
	// Twin makes another engine, whose answers must be equal; nil if there is none.
	Twin func(data *source.Dataset, l Limits, scratch string) pipeline.Engine
	// Jobs is set for engines whose workers read the job: the folder then holds job.yaml and its public files.
	Jobs bool
}
