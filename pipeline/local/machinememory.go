package local

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// unknownMemory is the assumed memory of the machine if the system does not report it. minDefault is the smallest
// default limit.
const (
	unknownMemory = 4 << 30
	minDefault    = 256 << 20
)

// DefaultMemory returns the memory limit that is used if none is set, in bytes: half of the machine's memory or of the
// limit of the process's control groups, whichever is less.
func DefaultMemory() int64 {
	total := min(machineMemory(), groupMemory())
	if total == math.MaxInt64 {
		total = unknownMemory
	}
	return max(total/2, minDefault)
}

// machineMemory returns the memory of the machine from /proc/meminfo.
func machineMemory() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return math.MaxInt64
	}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		if f := strings.Fields(s.Text()); len(f) == 3 && f[0] == "MemTotal:" {
			return count(f[1], 1<<10)
		}
	}
	return math.MaxInt64
}

// groupMemory returns the lowest memory limit of the process's control groups, version 1 or 2.
func groupMemory() int64 {
	least := int64(math.MaxInt64)
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return least
	}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		f := strings.SplitN(s.Text(), ":", 3)
		if len(f) < 3 {
			continue
		}
		root, name := "/sys/fs/cgroup", "memory.max"
		if f[1] != "" {
			if !strings.Contains(","+f[1]+",", ",memory,") {
				continue
			}
			root, name = root+"/memory", "memory.limit_in_bytes"
		}
		for dir := path.Clean("/" + f[2]); ; dir = path.Dir(dir) {
			least = min(least, limitIn(path.Join(root, dir, name)))
			if dir == "/" {
				break
			}
		}
	}
	return least
}

func limitIn(file string) int64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return math.MaxInt64
	}
	return count(strings.TrimSpace(string(text)), 1)
}

// count parses a positive number of units, and returns it in bytes. It returns MaxInt64 for any other text, which means
// no limit.
func count(text string, unit int64) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/unit {
		return math.MaxInt64
	}
	return n * unit
}
