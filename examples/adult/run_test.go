package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/examples/internal/exampletest"
)

func run(t *testing.T, dir, job string) string {
	t.Helper()
	var out bytes.Buffer
	if err := adult().Execute(t.Context(), []string{"--dir", dir, "--job", job}, &out); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	return out.String()
}

// table returns the columns of a released table, by name.
func table(t *testing.T, path string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for i, name := range records[0] {
		out[name] = []string{}
		for _, r := range records[1:] {
			out[name] = append(out[name], r[i])
		}
	}
	return out
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatalf("%q is no number", s)
	}
	return x
}

// The means from the table to the release, as a user runs it, twice. Each is within ten standard deviations of the truth:
// a false-alarm rate far below 1e-9.
func TestMeans(t *testing.T) {
	dir, data := exampletest.Folder(t)
	invented(t, data)
	if out := run(t, dir, "means.yaml"); !strings.Contains(out, "adult-means: released") {
		t.Error(out)
	}
	if out := run(t, dir, "means.yaml"); !strings.Contains(out, "nothing was spent") {
		t.Error(out)
	}
	released := table(t, filepath.Join(dir, "out", "means", "age_by_sex.csv"))
	if !slices.Equal(released["sex"], sex.values) {
		t.Fatalf("groups %v", released["sex"])
	}
	for i, s := range released["sex"] {
		mean, sigma := number(t, released["noisy"][i]), number(t, released["sigma"][i])
		if truth := meanAge(t, data, s); mean < truth-10*sigma || mean > truth+10*sigma || sigma <= 0 || sigma > 5 {
			t.Errorf("%s: mean %g ± %g, truth %g", s, mean, sigma, truth)
		}
	}
}

func meanAge(t *testing.T, data, group string) float64 {
	t.Helper()
	var sum, n float64
	for _, row := range persons(t, data) {
		if row[slices.Index(columns, "sex")] == group {
			sum += number(t, row[0])
			n++
		}
	}
	return sum / n
}

// The histogram from the table to the release: all cells get noise, few are written, and none is zero.
func TestSparseRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("27 million cells")
	}
	dir, data := exampletest.Folder(t)
	if err := synthetic(data, trainRows, testRows); err != nil {
		t.Fatal(err)
	}
	if out := run(t, dir, "job.yaml"); !strings.Contains(out, "adult: released") || !strings.Contains(out, "27000960") {
		t.Error(out)
	}
	estimates := table(t, filepath.Join(dir, "out", "attributes", "attributes.csv"))["estimate"]
	if len(estimates) < 50 || len(estimates) > 2000 {
		t.Errorf("%d rows", len(estimates))
	}
	for _, x := range estimates {
		if number(t, x) <= 0 {
			t.Fatalf("an estimate of %s is written", x)
		}
	}
}
