// Command google runs the tasks of the comparison with Google's Go library, used as its documentation recommends: an
// aggregation object for each cell. It has the interface of the other tools' scripts: describe, or TASK FILE RUNS
// FOLDER.
package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
)

// series are the estimates of one result, with the ends of 95 % intervals if the library computes them.
type series struct{ estimates, low, high []float64 }

func (s *series) add(estimate, low, high float64) {
	s.estimates, s.low, s.high = append(s.estimates, estimate), append(s.low, low), append(s.high, high)
}

// job is a task: the number of lines of its function, the parameters that had to be set by hand, and the function,
// which reads the file and returns the function for one answer.
type job struct {
	lines int
	given string
	start func(file string) (func() (map[string]*series, error), error)
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) > 0 && args[0] == "describe" {
		return describe()
	}
	if len(args) != 4 {
		return fmt.Errorf("usage: google TASK FILE RUNS FOLDER")
	}
	j, ok := jobs[args[0]]
	if !ok {
		return fmt.Errorf("there is no task %q", args[0])
	}
	runs, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	answer, err := j.start(args[1])
	if err != nil {
		return err
	}
	for range runs {
		found, err := answer()
		if err != nil {
			return err
		}
		for asked, s := range found {
			for ending, numbers := range map[string][]float64{"": s.estimates, ".low": s.low, ".high": s.high} {
				if err := appendFloats(filepath.Join(args[3], asked+ending), numbers); err != nil {
					return err
				}
			}
		}
		fmt.Println("answered")
	}
	return nil
}

func appendFloats(path string, numbers []float64) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	data := make([]byte, 0, 8*len(numbers))
	for _, x := range numbers {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
	}
	if _, err := f.Write(data); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

func describe() error {
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Path == "github.com/google/differential-privacy/go/v4" {
				version = d.Version
				if d.Replace != nil {
					version = "from source"
				}
			}
		}
	}
	tasks := map[string]any{}
	for name, j := range jobs {
		tasks[name] = map[string]any{"lines": j.lines, "given": j.given}
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"version": version, "tasks": tasks, "refused": map[string]string{
		"adult": "an aggregation object has no composition: 45 tables by adding epsilons up",
		"large": "rows of a unit are not bounded: that is left to the caller, or to Privacy on Beam",
		"mean":  "no vectors",
	}})
}
