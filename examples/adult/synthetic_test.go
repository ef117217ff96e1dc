//go:build check

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/examples/internal/exampletest"
)

// The generator draws from the codebook that the job lists.
func TestCodebookIsTheJobs(t *testing.T) {
	job, diags := configs.Load("job.yaml", configs.ParseOptions{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	book := map[string]attribute{
		"workclass": workclass, "education": education, "marital_status": marital, "occupation": occupation,
		"relationship": relationship, "race": race, "sex": sex, "native_country": country,
	}
	for _, d := range job.Queries[0].Histogram.By {
		var listed []string
		for _, l := range d.Values {
			listed = append(listed, string(l.Name))
		}
		a := book[d.Column]
		if !slices.Equal(listed, a.values) || len(a.weights) != len(a.values) {
			t.Errorf("%s: the job lists %v, the generator has %v with %d weights", d.Column, listed, a.values, len(a.weights))
		}
	}
}

// The synthetic table has the original's layout and is the same each time; some of its rows are incomplete.
func TestSyntheticTable(t *testing.T) {
	_, data := exampletest.Folder(t)
	_, other := exampletest.Folder(t)
	invented(t, data)
	invented(t, other)
	for _, name := range []string{trainFile, testFile} {
		a, errA := os.ReadFile(filepath.Join(data, name))
		b, errB := os.ReadFile(filepath.Join(other, name))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs from one time to the next (%v, %v)", name, errA, errB)
		}
	}
	if n, err := count(data); err != nil || n != 3000 {
		t.Errorf("%d rows, %v", n, err)
	}
	gaps := 0
	for _, row := range persons(t, data) {
		if slices.Contains(row, "?") {
			gaps++
		}
	}
	if gaps < 150 || gaps > 600 {
		t.Errorf("%d of 3000 rows are incomplete", gaps)
	}
}

func TestCountRefuses(t *testing.T) {
	_, data := exampletest.Folder(t)
	for _, name := range []string{trainFile, testFile} {
		if err := os.WriteFile(filepath.Join(data, name), []byte("39, State-gov\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := count(data); err == nil {
		t.Errorf("%d rows of two columns", n)
	}
}
