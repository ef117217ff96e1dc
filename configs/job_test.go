package configs

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// base is a small job; tests change one thing in it.
const base = `version: 1
name: trips
privacy:
  epsilon: 1
  delta: 1e-6
  unit: [cab_id]
  per_unit: {max_rows: 5}
input:
  files: [data/trips.parquet]
queries:
  - name: payment
    histogram:
      by:
        - {column: payment, values: [card, cash]}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: trips, budget: {epsilon: 10, delta: 1e-5}}
`

func with(t testing.TB, old, changed string) []byte {
	t.Helper()
	if !strings.Contains(base, old) {
		t.Fatalf("the base job has no %q", old)
	}
	return []byte(strings.Replace(base, old, changed, 1))
}

func parsed(t testing.TB, path string, src []byte, o ParseOptions) *Job {
	t.Helper()
	job, diags := Parse(path, src, o)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return job
}

// everything parses a file of testdata.
func everything(t *testing.T, file string) (*Job, Diagnostics) {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return Parse(file, src, options(src))
}

func TestWholeFormatIsUnderstood(t *testing.T) {
	job, diags := everything(t, "whole.good.yaml")
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if got := job.Queries[1].Histogram.By[1].Values; !cmp.Equal(got, Values{
		{"<=50K", []Scalar{"<=50K", "<=50K."}}, {">50K", []Scalar{">50K", ">50K."}}}) {
		t.Errorf("aliases: %v", got)
	}
	if got := *job.Input.Where[0].From; got != "2013-01-01T00:00:00" {
		t.Errorf("references: %s", got)
	}
	if got := job.Queries[1].Histogram.By[6].Grid; !cmp.Equal(*got,
		Grid{"lat", "lon", "40.7", "-74.02", "40.88", "-73.9", 64, 64}) {
		t.Errorf("grid: %v", got)
	}
	if got := job.Queries[5].Mean; !cmp.Equal(got.Clamp, Clamp{"-0.5", "0.5"}) || len(got.Columns) != 3 {
		t.Errorf("mean: %v", got)
	}
	if got := job.Input.Events[1]["lat"]; got != "dropoff_latitude" {
		t.Errorf("events: %s", got)
	}
}

func TestDefaults(t *testing.T) {
	src := with(t, "    histogram",
		"    denoise: [{method: james-stein}, {method: james-stein, positive_part: false}, {method: round}]\n    histogram")
	job := parsed(t, "job.yaml", src, ParseOptions{})
	q := job.Queries[0]
	d := q.Histogram.By[0]
	got := []any{
		job.Privacy.Adjacency, job.Output.Formats, *job.Input.CSV.Header, job.Input.CSV.Delimiter, q.Weight, d.Null, d.Other,
		q.Denoise[0].Args["positive_part"], q.Denoise[1].Args["positive_part"], q.Denoise[2].Args == nil,
		job.Ledger.Budget.Per,
	}
	want := []any{"add-remove", []string{"parquet"}, true, ",", Decimal("1"), "drop", "drop", "true", "false", true,
		"total"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestScalarsAreSourceText(t *testing.T) {
	src, err := os.ReadFile("testdata/source-text.good.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var got []Scalar
	for _, l := range parsed(t, "job.yaml", src, ParseOptions{}).Queries[0].Histogram.By[0].Values {
		got = append(got, l.Name)
	}
	want := []Scalar{"NO", "no", "yes", "02139", "2013-01-01", "1e3", "0x1F", "~x", "true", "", "null"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The cell of the number 0 has no sign, however the job writes it; a text stays as it is.
func TestZeroHasNoSign(t *testing.T) {
	src, err := os.ReadFile("testdata/source-text.good.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`values: .*`).ReplaceAllLiteralString(string(src), `values: [-0, -0.0, "-0.00", -1]}`)
	var got []Scalar
	for _, l := range parsed(t, "job.yaml", []byte(text), ParseOptions{}).Queries[0].Histogram.By[0].Values {
		got = append(got, l.Name)
	}
	if diff := cmp.Diff([]Scalar{"0", "0.0", "-0.00", "-1"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestBounds(t *testing.T) {
	src := with(t, "output:", "  - {name: total, count: {}, per_unit: {max_groups: 8, max_rows_per_group: 3}}\noutput:")
	job := parsed(t, "job.yaml", src, ParseOptions{})
	if got := job.Bounds(&job.Queries[0]); !reflect.DeepEqual(got, PerUnit{MaxRows: 5}) {
		t.Errorf("shared: %v", got)
	}
	if got := job.Bounds(&job.Queries[1]); !reflect.DeepEqual(got, PerUnit{MaxRows: 5, MaxGroups: 8, MaxRowsPerGroup: 3}) {
		t.Errorf("key by key: %v", got)
	}
	rows := strings.Replace(strings.Replace(base, "[cab_id]", "row", 1), "  per_unit: {max_rows: 5}\n", "", 1)
	job = parsed(t, "job.yaml", []byte(rows), ParseOptions{})
	if got := job.Bounds(&job.Queries[0]); !reflect.DeepEqual(got, PerUnit{MaxRows: 1, MaxGroups: 1, MaxRowsPerGroup: 1}) ||
		len(job.Privacy.Unit.Columns) != 0 {
		t.Errorf("row: %v", got)
	}
}

func TestPaths(t *testing.T) {
	job := parsed(t, filepath.Join("jobs", "job.yaml"), []byte(base), ParseOptions{})
	if job.Dir() != "jobs" || job.Path("a/b") != filepath.Join("jobs", "a", "b") || job.Path("/a") != "/a" {
		t.Errorf("%s, %s, %s", job.Dir(), job.Path("a/b"), job.Path("/a"))
	}
	if store := job.StoreName(); store != "sqlite:"+filepath.Join("jobs", "ledger.db") {
		t.Errorf("store: %s", store)
	}
}

func TestStoreNames(t *testing.T) {
	for store, want := range map[string]string{
		"sqlite+group:../l.db": "sqlite+group:" + filepath.Join("jobs", "..", "l.db"), "sqlite:/l.db": "sqlite:/l.db",
		"postgres://u@h/d": "postgres://u@h/d",
	} {
		job := parsed(t, filepath.Join("jobs", "job.yaml"), with(t, "sqlite:ledger.db", store), ParseOptions{})
		if got := job.StoreName(); got != want {
			t.Errorf("%s: %s, want %s", store, got, want)
		}
	}
}

func TestDiagnosePlaces(t *testing.T) {
	job := parsed(t, "dir/job.yaml", []byte(base), ParseOptions{})
	for path, want := range map[string]string{
		"":                                        "dir/job.yaml:1:1",
		"privacy":                                 "dir/job.yaml:3:1",
		"privacy.delta":                           "dir/job.yaml:5:10",
		"privacy.adjacency":                       "dir/job.yaml:3:1",
		"queries[0]":                              "dir/job.yaml:11:5",
		"queries[0].name":                         "dir/job.yaml:11:11",
		"queries[0].histogram.by[0].column":       "dir/job.yaml:14:20",
		"queries[0].histogram.by[0].values[1]":    "dir/job.yaml:14:44",
		"queries[0].histogram.by[7].column":       "dir/job.yaml:13:7",
		"queries[3].histogram":                    "dir/job.yaml:10:1",
		"queries[0].sensitivity":                  "dir/job.yaml:11:5",
		"ledger.budget.epsilon.nothing[2].at.all": "dir/job.yaml:16:71",
		"][ no path":                              "dir/job.yaml:1:1",
		"queries[99999999999999999999]":           "dir/job.yaml:10:1",
	} {
		d := job.Diagnose(path, "code", "message", "hint")
		if got, _, _ := strings.Cut(d.String(), ": code: message\n    hint: hint"); got != want {
			t.Errorf("%q is at %s, not at %s", path, got, want)
		}
	}
	if d := new(Job).Diagnose("privacy", "code", "message", ""); d.Line != 1 || d.Column != 1 {
		t.Errorf("a job without a file: %v", d)
	}
}

func TestDiagnosePlacesAliasesWhereTheyAreUsed(t *testing.T) {
	src := with(t, "output:",
		"  - name: second\n    histogram: &h {by: [{column: x, edges: [1, 2]}]}\n  - {name: third, histogram: *h}\noutput:")
	job := parsed(t, "job.yaml", src, ParseOptions{})
	if d := job.Diagnose("queries[2].histogram", "c", "m", ""); d.Line != 17 || d.Column != 19 {
		t.Errorf("the alias is at %v", d)
	}
	if d := job.Diagnose("queries[2].histogram.by[0].column", "c", "m", ""); d.Line != 16 {
		t.Errorf("what it stands for is at %v", d)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "job.yaml")
	if err := os.WriteFile(file, []byte(base), 0o600); err != nil {
		t.Fatal(err)
	}
	job, diags := Load(file, ParseOptions{})
	if len(diags) > 0 || job.Dir() != dir {
		t.Fatal(job, diags)
	}
	for _, path := range []string{filepath.Join(dir, "absent.yaml"), dir} {
		job, diags := Load(path, ParseOptions{})
		if job != nil || len(diags) != 1 || diags[0].Code != CodeUnreadable || diags.Err() == nil {
			t.Errorf("%s: %v", path, diags)
		}
	}
	// The rows of a table that is given as a job are in no message.
	for name, want := range map[string]string{"a.csv": "this is a table by its name", "a.jsonl.gz": "this is a table by its name",
		"release.json": "this is the manifest of a release", "a.txt": "found a text"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("Meier, 5\nMueller, 6\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, diags := Load(path, ParseOptions{}); !strings.Contains(diags.Error(), want) || strings.Contains(diags.Error(), "Meier") {
			t.Errorf("%s: %v", name, diags)
		}
	}
	if Diagnostics(nil).Err() != nil {
		t.Error("no diagnostics are an error")
	}
}

func TestEndlessFileIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "job.yaml")
	if err := os.WriteFile(file, []byte(base+strings.Repeat("#", yamltree.MaxFile)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, diags := Load(file, ParseOptions{}); len(diags) != 1 || diags[0].Code != CodeYAML {
		t.Errorf("%v", diags)
	}
}

func TestTooManyProblemsAreCounted(t *testing.T) {
	src := []byte(base + strings.Repeat("name: again\n", 5000))
	_, diags := Parse("job.yaml", src, ParseOptions{})
	last := diags[len(diags)-1]
	if len(diags) != yamltree.MaxFindings+1 || last.Code != CodeTooMany || last.Message != "and 4800 more problems" {
		t.Errorf("%d diagnostics, last: %v", len(diags), last)
	}
}

func TestLongListIsNoAliasBomb(t *testing.T) {
	many := strings.Repeat("x,", 50_000)
	src := "a: &a [" + many + "]\n" + base
	_, diags := Parse("job.yaml", []byte(src), ParseOptions{})
	if len(diags) != 1 || diags[0].Code != CodeUnknownKey {
		t.Errorf("%v", diags)
	}
}
