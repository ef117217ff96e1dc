package main

import (
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
)

func (f *jobFlags) addMemoryLimit(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.memory, "memory-limit", "", "how much memory to use, such as 1GiB, instead of the job's memory_limit; by default half of the machine's")
}

func (f *jobFlags) addTmpDir(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.tmp, "tmp-dir", "", "the folder for an encrypted file of what does not fit in memory, instead of the release's staging folder")
}

// limits are what the run of a plan may use: an error if its queries cannot be answered within them.
func (f *jobFlags) limits(p *pipeline.Plan) (local.Limits, error) {
	l := local.Limits{Workers: max(f.workers, 1), Memory: p.Job().Memory(), Scratch: f.tmp}
	if f.memory != "" {
		n, err := configs.ParseSize(f.memory)
		if err != nil {
			return l, console.Usagef("--memory-limit %q: %v", f.memory, err)
		}
		l.Memory = n
	}
	if f.tmp != "" {
		if info, err := os.Stat(f.tmp); err != nil || !info.IsDir() {
			return l, console.Usagef("--tmp-dir %q is not a folder", f.tmp)
		}
	}
	if l.Memory == 0 {
		l.Memory = local.DefaultMemory()
	}
	return l, l.Fits(p)
}

// runtimeBytes is what the process takes beside the memory that Go's runtime counts.
const runtimeBytes = 32 << 20

// keepTo makes Go collect garbage rather than pass a limit; GOMEMLIMIT may set a lower one.
func keepTo(limit int64) {
	if limit -= runtimeBytes; limit < debug.SetMemoryLimit(-1) {
		debug.SetMemoryLimit(limit)
	}
}
