package stabilitytest

import (
	"testing"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
)

// Limits are the limits of an engine. Answers do not depend on them.
type Limits struct {
	Workers int
	// Tight means that almost no rows fit in memory, so that they are written to the scratch file.
	Tight bool
}

// Lab is what cases are tried with: a folder, best in memory, and an engine.
type Lab struct {
	testing.TB
	Dir string
	// Open makes an engine over data. Closing the engine closes data.
	Open func(data *source.Dataset, l Limits, scratch string) pipeline.Engine
	// OpenTables makes an engine over several tables, in the order of a plan; nil if jobs with several tables are left
	// out.
	OpenTables func(data []*source.Dataset, l Limits, scratch string) pipeline.Engine
	// Twin, if not nil, makes another engine, whose answers must be equal.
	Twin func(data *source.Dataset, l Limits, scratch string) pipeline.Engine
	// Jobs means that the folder has the job's file, job.yaml, and its public files, for engines whose workers read
	// them.
	Jobs bool
}
