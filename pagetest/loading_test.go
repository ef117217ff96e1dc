package pagetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// snippet returns the code in a release's README that loads its first table in a language.
func snippet(t *testing.T, dir, language string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(text)
	if found == nil {
		t.Fatalf("README.md has no code in %s", language)
	}
	return string(found[1])
}

// labels is a job with labels that readers of CSV take for other types.
func labels(formats string) map[string]string {
	rows := "region,n\n"
	for i := range 600 {
		rows += fmt.Sprintf("%s,%d\n", []string{"NA", "=cmd()", "TRUE"}[i%3], i%10)
	}
	return map[string]string{"t.csv": rows, "job.yaml": `version: 1
name: labels
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input: {files: [t.csv], csv: {types: {region: text, n: int}}}
queries:
  - {name: regions, histogram: {by: [{column: region, values: ["NA", "=cmd()", "TRUE"]}]}}
output: {dir: out, formats: [` + formats + `]}
ledger: {store: "sqlite:ledger.db", dataset: d, budget: {epsilon: 10, delta: 1e-4}}
`}
}

// pandas returns a Python interpreter that has pandas.
func pandas() string {
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if path, err := exec.LookPath(name); err == nil && exec.Command(path, "-c", "import pandas").Run() == nil {
			return path
		}
	}
	return ""
}

// The lines in README.md load the table in pandas, with the types that it should have.
func TestPandasLoads(t *testing.T) {
	python := pandas()
	if python == "" {
		t.Skip("there is no Python with pandas: apt-get install python3-pandas")
	}
	for _, format := range []string{"csv", "json"} {
		dir := released(t, labels(format))
		code := snippet(t, dir, "python") + `
assert len(table) == 3, table
assert table["noisy"].dtype.kind == "f", table.dtypes
assert sorted(table["region"].astype(str).str.lower().str.removeprefix("'")) == ["=cmd()", "na", "true"], table
`
		run := exec.Command(python, "-c", code)
		run.Dir = dir
		if out, err := run.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s\n%s", format, err, out, code)
		}
	}
}

// The line in README.md loads the table in R, with the types that it should have.
func TestRLoads(t *testing.T) {
	r, err := exec.LookPath("Rscript")
	if err != nil {
		t.Skip("there is no R: apt-get install r-base-core")
	}
	dir := released(t, labels("parquet, csv"))
	code := snippet(t, dir, "r") + `
stopifnot(nrow(table) == 3, is.numeric(table$noisy), !anyNA(table$region), "'=cmd()" %in% table$region, "NA" %in% table$region)
`
	run := exec.Command(r, "-e", code)
	run.Dir = dir
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v: %s\n%s", err, out, code)
	}
}

// In a release without CSV, README.md names only existing files.
func TestLoadingNamesFiles(t *testing.T) {
	for _, format := range []string{"csv", "json", "parquet", "arrow"} {
		dir := released(t, labels(format))
		for _, language := range []string{"python", "r"} {
			for _, name := range regexp.MustCompile(`"([^" ]+\.[a-z]+)"`).FindAllStringSubmatch(snippet(t, dir, language), -1) {
				if _, err := os.Stat(filepath.Join(dir, name[1])); err != nil {
					t.Errorf("%s: %s names %s", format, language, strings.TrimSpace(name[1]))
				}
			}
		}
	}
}
