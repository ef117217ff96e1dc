package regular

import (
	"os"
	"slices"
	"syscall"
)

// kernelFiles are the numbers of the file systems that hold no files but questions to the kernel: proc, sysfs, debugfs
// and tracefs (statfs(2)).
var kernelFiles = []int64{0x9fa0, 0x62656572, 0x64626720, 0x74726163}

// isKernelFile reports whether a file is one of the kernel's, such as /proc/kmsg. These are regular by their mode, but a
// read of one can wait, or never end.
func isKernelFile(f *os.File) bool {
	var s syscall.Statfs_t
	return syscall.Fstatfs(int(f.Fd()), &s) == nil && slices.Contains(kernelFiles, int64(s.Type)) //nolint:unconvert // the type differs by processor
}
