package command

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
)

const verifiedTable = `person,sex,age,word,lat,lon,x,y
1,F,31,a,40.75,-73.98,0.1,0.2
1,F,31,b,40.76,-73.99,0.1,0.2
2,M,47,"=1+1",40.71,-74.01,-0.4,0.5
3,M,,,0,0,,
4,X,200,-5,91,181,7,-7
`

// verifiedJob asks every kind of query; %s are the privacy unit, more of the input, a count of all
// rows if that is private, and the formats.
const verifiedJob = `version: 1
name: kinds
privacy: {epsilon: 4, delta: 1e-6, %s}
input: {files: [people.csv], %scsv: {types: {age: int, word: text}}}
queries:
%s  - {name: words, histogram: {by: [{column: word, keys: discover}]}}
  - {name: listed, histogram: {by: [{column: word, values: [a, b, "=1+1", "-5"]}]}, sparse: true}
  - {name: smooth, histogram: {by: [{column: age, from: 0, to: 100, width: 5}]}, denoise: [{method: james-stein}, {method: nonnegative}]}
  - {name: ages, histogram: {by: [{column: sex, values: [F, M]}, {column: age, from: 0, to: 100, width: 10}], quantiles: [0.25, 0.5, 0.75], cdf: true}}
  - {name: map, histogram: {by: [{grid: {lat: lat, lon: lon, south: 40.7, west: -74.02, north: 40.88, east: -73.9, rows: 3, cols: 4}}]}}
  - {name: total_age, sum: {column: age, clamp: [0, 100], by: [{column: sex, values: [F, M]}]}}
  - {name: mean_age, mean: {column: age, clamp: [17, 90], by: [{column: sex, values: [F, M]}]}}
  - {name: vector, mean: {columns: [x, y], clip_l2: 1}}
  - {name: age_variance, variance: {column: age, clamp: [17, 90]}}
output: {dir: out, formats: [%s]}
ledger: {store: "sqlite:ledger.db", dataset: people, budget: {epsilon: 10, delta: 1e-5, delta_cap: 5e-6}}
`

// protected are the privacy units: a person with several rows, under both adjacencies, and one row of a public number
// of rows.
var protected = map[string][3]string{
	"people":          {"unit: [person], adjacency: add-remove, per_unit: {max_rows: 2, max_groups: 2}", "", countAll},
	"people replaced": {"unit: [person], adjacency: replace-one, per_unit: {max_rows: 2, max_groups: 2}", "", countAll},
	"rows":            {"unit: row, adjacency: replace-one", "rows: 5, ", ""},
}

const countAll = "  - {name: all, count: {}}\n"

// verified is a folder with a release of every kind of query.
type verified struct {
	*testing.T
	dir string
}

// newVerified makes the release in a folder of its own.
func newVerified(t *testing.T, unit, formats string, more ...string) *verified {
	t.Helper()
	v := &verified{t, t.TempDir()}
	v.write("people.csv", []byte(verifiedTable))
	p := protected[unit]
	v.write("job.yaml", fmt.Appendf(nil, verifiedJob, p[0], p[1], p[2], formats))
	if code, out := v.release(append([]string{"run", filepath.Join(v.dir, "job.yaml"), "--quiet"},
		more...)...); code != 0 {
		t.Fatalf("run: exit code %d\n%s", code, out)
	}
	return v
}

func (v *verified) write(name string, data []byte) {
	v.Helper()
	if err := os.WriteFile(filepath.Join(v.dir, name), data, 0o600); err != nil {
		v.Fatal(err)
	}
}

func (v *verified) read(name string) []byte {
	v.Helper()
	data, err := os.ReadFile(filepath.Join(v.dir, name))
	if err != nil {
		v.Fatal(err)
	}
	return data
}

// release runs the program and returns its exit code and all that it printed.
func (v *verified) release(args ...string) (code int, printed string) {
	var out bytes.Buffer
	code = execute(context.Background(), args, &out, &out)
	return code, out.String()
}

func (v *verified) verify() (code int, printed string) {
	return v.release("verify", filepath.Join(v.dir, "out"))
}

// Every kind of query, in every format and in all of them, is verified as published.
func TestVerifyOfUntouchedReleases(t *testing.T) {
	owntest.Slow(t)
	notShort(t)
	const all = "parquet, csv, arrow, json"
	for _, formats := range []string{"parquet", "csv", "arrow", "json", all} {
		for unit := range protected {
			if !long() && formats != all && unit != "people" {
				continue
			}
			t.Run(formats+"/"+unit, func(t *testing.T) {
				v := newVerified(t, unit, formats)
				code, out := v.verify()
				if code != 0 || strings.Contains(out, "fail") {
					t.Errorf("exit code %d\n%s", code, out)
				}
				for _, check := range []string{"digests", "noise", "ledger"} {
					if !strings.Contains(out, check) {
						t.Errorf("nothing is said of %s:\n%s", check, out)
					}
				}
			})
		}
	}
}

// A release of a job with a parameter follows from its job too, in which the parameter's value stands.
func TestVerifyOfParameters(t *testing.T) {
	v := &verified{t, t.TempDir()}
	v.write("people.csv", []byte(verifiedTable))
	v.write("job.yaml", []byte(`version: 1
name: days
params: {day: {type: date}}
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 2}}
input: {files: [people.csv]}
queries: [{name: all, description: "the people of ${day}", count: {}}]
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: people, budget: {epsilon: 10, delta: 1e-5}}
`))
	if code, out := v.release("run", filepath.Join(v.dir, "job.yaml"), "--param", "day=2026-01-02", "--quiet"); code != 0 {
		t.Fatalf("run: exit code %d\n%s", code, out)
	}
	if code, out := v.verify(); code != 0 || !strings.Contains(out, "statements follow from the job") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// Whichever byte of whichever file is changed, verify finds it, and names the file.
func TestVerifyFindsEveryFlippedByte(t *testing.T) {
	owntest.Slow(t)
	notShort(t)
	v := newVerified(t, "people", "parquet, csv, arrow, json")
	entries, err := os.ReadDir(filepath.Join(v.dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		name := filepath.Join("out", e.Name())
		good := v.read(name)
		places := []int{0, len(good) / 3, max(0, len(good)-2-i%7)}
		if !long() {
			places = places[i%3 : i%3+1] // of all files, one place each
		}
		for _, at := range places {
			bad := bytes.Clone(good)
			bad[at] ^= 1 << (i % 8)
			v.write(name, bad)
			code, out := v.verify()
			if code != exitCheck {
				t.Errorf("%s, byte %d: exit code %d\n%s", name, at, code, out)
			}
			if e.Name() != "release.json" && !strings.Contains(out, e.Name()+" has been changed") {
				t.Errorf("%s, byte %d: the file is not named\n%s", name, at, out)
			}
		}
		v.write(name, good)
	}
	if code, out := v.verify(); code != 0 {
		t.Errorf("everything is as it was: exit code %d\n%s", code, out)
	}
}

// All files that were changed are named, not the first one alone.
func TestVerifyNamesEveryChangedFile(t *testing.T) {
	v := newVerified(t, "people", "csv")
	for _, name := range []string{"all.csv", "ages.cdf.csv"} {
		v.write(filepath.Join("out", name), []byte("noisy\n7\n"))
	}
	code, out := v.verify()
	if code != exitCheck || !strings.Contains(out, "all.csv has been changed") ||
		!strings.Contains(out, "ages.cdf.csv has been changed") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// Every number about the noise and its protection follows from the mechanisms and the job: verify finds a changed one,
// also without a ledger.
func TestVerifyRecomputesTheStatement(t *testing.T) {
	owntest.Slow(t)
	notShort(t)
	v := newVerified(t, "people", "csv")
	away := filepath.Join(t.TempDir(), "a/b/c/d/e")
	if err := os.CopyFS(away, os.DirFS(filepath.Join(v.dir, "out"))); err != nil {
		t.Fatal(err)
	}
	good := v.read("out/release.json")
	check := func(text []byte) (code int, printed string) {
		if err := os.WriteFile(filepath.Join(away, "release.json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		return v.release("verify", away)
	}
	if code, out := check(good); code != 0 || !regexp.MustCompile(`ledger +skipped`).MatchString(out) {
		t.Fatalf("untouched: exit code %d\n%s", code, out)
	}
	number := regexp.MustCompile(`"(epsilon|delta|delta_failure|mu|mu2|rho|sigma|grid|l2|standard_deviation|threshold|1e-[0-9]|max_groups)": "?([0-9][0-9.e-]*)`)
	beforeJob, _, _ := bytes.Cut(good, []byte(`"job": `))
	found := number.FindAllSubmatchIndex(beforeJob, -1)
	if len(found) < 60 {
		t.Fatalf("only %d numbers", len(found))
	}
	for _, at := range found {
		digit := bytes.IndexAny(good[at[4]:at[5]], "123456789") // the first one that counts
		if digit < 0 || inBounds(good[:at[0]]) {
			continue
		}
		bad := bytes.Clone(good)
		if bad[at[4]+digit]--; bad[at[4]+digit] == '0' {
			bad[at[4]+digit] = '2'
		}
		if code, out := check(bad); code != exitCheck || !regexp.MustCompile(`noise +fail`).MatchString(out) {
			t.Errorf("%s changed: exit code %d\n%s", good[at[0]:at[1]], code, out)
		}
	}
	for _, words := range [][2]string{{"(4, 1e-6)", "(3, 1e-6)"}, {"being added or removed", "being replaced"},
		{"all rows of one person", "one row"}, {"(4, 1e-6)", "(4, 1e-7)"}} {
		bad := bytes.Replace(good, []byte(words[0]), []byte(words[1]), 1)
		if code, out := check(bad); code != exitCheck || !regexp.MustCompile(`noise +fail`).MatchString(out) {
			t.Errorf("%q in place of %q: exit code %d\n%s", words[1], words[0], code, out)
		}
	}
}

// inBounds reports whether the next value is one of the bounds of a unit, which do not follow from the noise, or of the
// budget.
func inBounds(before []byte) bool {
	return bytes.LastIndex(before, []byte(`"per_unit": {`)) > bytes.LastIndexByte(before, '}') ||
		bytes.LastIndex(before, []byte(`"scope": {`)) > bytes.LastIndexByte(before, '}')
}
