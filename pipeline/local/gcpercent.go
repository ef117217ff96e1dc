package local

import (
	"os"
	"runtime/debug"
)

// heapGrowth is the growth of the heap, in percent, after which Go's garbage collector runs.
const heapGrowth = 50

// CollectEarly makes Go's garbage collector run when the heap has grown by half instead of doubled, unless the
// environment variable GOGC is set. Most of the heap is rows of units, which have no pointers: collecting them costs
// little, and without it half of the memory would be garbage. It affects the whole process, so only programs that run
// jobs call it.
func CollectEarly() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
}
