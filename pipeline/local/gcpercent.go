package local

import (
	"os"
	"runtime/debug"
)

// heapGrowth is the growth of the heap, in percent, after which Go's collector runs.
const heapGrowth = 50

// CollectEarly lets Go's collector run when the heap has grown by half instead of doubled, unless the environment's
// GOGC says otherwise. Most of the heap is rows of units, which have no pointers: collecting costs little, and without
// it half of the memory is garbage. It is for programs that run jobs, as it holds for the whole process.
func CollectEarly() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
}
