package jobs

import (
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
)

// AddMemoryLimit adds --memory-limit.
func (f *Flags) AddMemoryLimit(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Memory, "memory-limit", "",
		"how much memory to use, such as 1GiB, instead of the job's memory_limit; by default half of the machine's")
}

// AddTmpDir adds --tmp-dir.
func (f *Flags) AddTmpDir(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Tmp, "tmp-dir", "",
		"the folder for an encrypted file of what does not fit in memory, instead of the release's staging folder")
}

// Limits returns the limits of a plan's run. It returns an error if its queries cannot be answered within them.
func (f *Flags) Limits(p *pipeline.Plan) (local.Limits, error) {
	l := local.Limits{Workers: max(f.Workers, 1), Memory: p.Job().Memory(), Scratch: f.Tmp}
	if f.Memory != "" {
		n, err := configs.ParseSize(f.Memory)
		if err != nil {
			return l, console.Usagef("--memory-limit %q: %v", f.Memory, err)
		}
		l.Memory = n
	}
	if f.Tmp != "" {
		info, err := os.Stat(f.Tmp)
		switch {
		case err != nil:
			return l, console.Usagef("--tmp-dir: %s can't be used: %s", f.Tmp, regular.Reason(err))
		case !info.IsDir():
			return l, console.Usagef("--tmp-dir: %s is not a folder", f.Tmp)
		}
	}
	return runjob.Limits(p, l)
}

// runtimeBytes is the memory of the process that Go's memory limit does not count.
const runtimeBytes = 32 << 20

// KeepTo makes Go collect garbage early, and more often near the limit. GOMEMLIMIT may set a lower limit.
func KeepTo(limit int64) {
	local.CollectEarly()
	if limit -= runtimeBytes; limit < debug.SetMemoryLimit(-1) {
		debug.SetMemoryLimit(limit)
	}
}
