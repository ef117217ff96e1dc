package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
)

// result is one line of the output: one result of a tool for a task.
type result struct {
	Task    string `json:"task"`
	Asked   string `json:"asked,omitempty"`
	Tool    string `json:"tool"`
	Version string `json:"version,omitempty"`
	// Reason explains why there is no answer. The fields below are then unset.
	Reason string `json:"reason,omitempty"`
	Runs   int    `json:"runs,omitempty"`
	Rows   int    `json:"rows,omitempty"` // the number of rows of the large table
	// RMSE is the root of the mean square error over all cells and runs, with its standard error over the runs. A cell
	// without an answer counts as the estimate 0. Missing is the mean fraction of such cells.
	RMSE    float64 `json:"rmse"`
	Error   float64 `json:"rmse_standard_error"`
	Missing float64 `json:"missing,omitempty"`
	// Coverage is the fraction of the tool's 95 % intervals that contain the exact answer; nil if the tool gives no
	// intervals.
	Coverage     *float64 `json:"coverage,omitempty"`
	FirstSeconds float64  `json:"first_seconds"` // seconds from the start of the process to its first answer
	Seconds      float64  `json:"seconds"`       // median time, in seconds, of an answer after the first
	PeakMB       float64  `json:"peak_mb"`
	Lines        int      `json:"lines"`
	Given        string   `json:"given"` // the parameters that had to be set by hand
}

// compare reads the estimates and intervals of all runs, and sets the fields that follow from them.
func (r *result) compare(path string, exact []float64, runs int) error {
	estimates, err := readFloats(path)
	if err != nil {
		return err
	}
	if len(estimates) < runs*len(exact) {
		return fmt.Errorf("%d numbers are not %d runs of %d cells", len(estimates), runs, len(exact))
	}
	squares := make([]float64, runs)
	missing := 0
	for run := range runs {
		for i, want := range exact {
			x := estimates[run*len(exact)+i]
			if math.IsNaN(x) {
				missing++
				x = 0
			}
			squares[run] += (x - want) * (x - want) / float64(len(exact))
		}
	}
	mean, deviation := moments(squares)
	r.RMSE = digits(math.Sqrt(mean))
	if r.RMSE > 0 && runs > 1 {
		// the delta method: the square root's derivative at the mean is 1 / (2·RMSE)
		r.Error = digits(deviation / math.Sqrt(float64(runs)) / (2 * r.RMSE))
	}
	r.Missing = digits(float64(missing) / float64(runs*len(exact)))
	low, err := readFloats(path + ".low")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	high, err := readFloats(path + ".high")
	if err != nil {
		return err
	}
	stated, held := 0, 0
	for i := range min(runs*len(exact), len(low), len(high)) {
		if math.IsNaN(low[i]) || math.IsNaN(high[i]) {
			continue
		}
		stated++
		if want := exact[i%len(exact)]; low[i] <= want && want <= high[i] {
			held++
		}
	}
	if stated > 0 {
		share := digits(float64(held) / float64(stated))
		r.Coverage = &share
	}
	return nil
}

// readFloats reads float64 in little-endian order.
func readFloats(path string) ([]float64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	x := make([]float64, len(data)/8)
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return x, nil
}

// moments returns the mean and the standard deviation of a sample.
func moments(x []float64) (mean, deviation float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		deviation += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(deviation / max(float64(len(x)-1), 1))
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

func round(x float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(x*scale) / scale
}

// digits rounds to four significant digits.
func digits(x float64) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	return round(x, 3-int(math.Floor(math.Log10(math.Abs(x)))))
}

// readResults reads the results of earlier runs. If two lines are about the same result, the later one counts.
func readResults(path string) ([]*result, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var results []*result
	for lines := bufio.NewScanner(f); lines.Scan(); {
		r := &result{}
		if err := json.Unmarshal(lines.Bytes(), r); err != nil {
			return nil, fmt.Errorf("%s is not of this command: %w", path, err)
		}
		results = slices.DeleteFunc(results, func(old *result) bool {
			return old.Task == r.Task && old.Tool == r.Tool && (old.Asked == r.Asked || old.Asked == "" || r.Asked == "")
		})
		results = append(results, r)
	}
	return results, nil
}
