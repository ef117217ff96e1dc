package main

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func writeNumbers(t *testing.T, path string, numbers ...float64) {
	t.Helper()
	var data []byte
	for _, x := range numbers {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Two runs of two cells: the errors are 1, 1 and 3, 5, and a cell without an answer counts as 0.
func TestErrorsAndIntervals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counts")
	writeNumbers(t, path, 11, 4, 7, math.NaN())
	writeNumbers(t, path+".low", 9, 4, 11, math.NaN())
	writeNumbers(t, path+".high", 12, 6, 12, math.NaN())
	var r result
	if err := r.compare(path, []float64{10, 5}, 2); err != nil {
		t.Fatal(err)
	}
	if r.RMSE != 3 || r.Error != 1.333 || r.Missing != 0.25 {
		t.Errorf("RMSE %v ± %v, missing %v; it is 3 ± 1.333 (mean squares 1 and 17), 0.25", r.RMSE, r.Error, r.Missing)
	}
	if r.Coverage == nil || *r.Coverage != 0.6667 {
		t.Errorf("intervals hold: %v, of three two do", r.Coverage)
	}
	if err := r.compare(path, []float64{10, 5}, 3); err == nil {
		t.Error("a run is missing, and no error")
	}
}

// The page first lists the tasks in which another tool is better by more than three standard errors, and gives reasons
// for empty cells.
func TestPageSaysWhatIsBetter(t *testing.T) {
	results := []*result{
		{Task: "hours", Asked: "counts", Tool: us, RMSE: 10, Error: 0.1, Runs: 5},
		{Task: "hours", Asked: "counts", Tool: "OpenDP", RMSE: 5, Error: 0.1, Runs: 5},
		{Task: "hours", Asked: "counts", Tool: "PipelineDP", RMSE: 9.9, Error: 0.1, Runs: 5},
		{Task: "hours", Tool: "mbi", Reason: "it has no noise"},
	}
	text := tablesOf(results)
	first, tables, _ := strings.Cut(text, "###")
	if !strings.Contains(first, "error of OpenDP 5 ± 0.1") || strings.Contains(first, "PipelineDP") {
		t.Errorf("what is better: %s", first)
	}
	if !strings.Contains(tables, "No answer of mbi: it has no noise") {
		t.Errorf("the reason is missing: %s", tables)
	}
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("before\n"+beginMark+"old\n"+endMark+"\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := writePage(page, results); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if want := "before\n" + beginMark + text + endMark + "\nafter\n"; string(written) != want {
		t.Errorf("the page is\n%s\nand not\n%s", written, want)
	}
}

// Each table is the same in every run, and no unit of a small table has more rows than the bound.
func TestTables(t *testing.T) {
	dir := t.TempDir()
	for i := range tasks {
		if n := tasks[i].name; n == "adult" || n == "wide" || n == "keys" {
			continue // large, or of a public file
		}
		exact, err := makeTable(dir, &tasks[i], 1000)
		if err != nil {
			t.Fatal(err)
		}
		again, err := makeTable(dir, &tasks[i], 1000)
		if err != nil {
			t.Fatal(err)
		}
		for asked := range exact {
			if len(exact[asked]) == 0 || len(again[asked]) != len(exact[asked]) {
				t.Errorf("%s, %s: %d cells, then %d", tasks[i].name, asked, len(exact[asked]), len(again[asked]))
			}
			for j := range exact[asked] {
				if exact[asked][j] != again[asked][j] {
					t.Errorf("%s, %s, cell %d: %v, then %v", tasks[i].name, asked, j, exact[asked][j], again[asked][j])
				}
			}
		}
	}
}
