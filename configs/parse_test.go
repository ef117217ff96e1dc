package configs

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const canary = "canary"

// options returns the options of a sample: parameters from a first line such as `# params: day=2013-01-01`, and an
// environment in which every value holds the canary.
func options(src []byte) ParseOptions {
	o := ParseOptions{Params: map[string]string{}, Env: environment}
	for line := range strings.Lines(string(src)) {
		if args, ok := strings.CutPrefix(strings.TrimSpace(line), "# params: "); ok {
			for _, a := range strings.Fields(args) {
				name, value, _ := strings.Cut(a, "=")
				o.Params[name] = value
			}
		}
	}
	return o
}

func environment(name string) (string, bool) {
	values := map[string]string{
		"DATA": "/" + canary + "/in", "STORE": "sqlite:/" + canary + "/ledger.db", "TRIPS": "/" +
			canary, "LEDGER": "sqlite:/" + canary + ".db", "EPSILON": "987",
	}
	v, ok := values[name]
	return v, ok
}

// samples reads the files of a pattern; their names in messages are their base names.
func samples(t testing.TB, pattern string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples for %s: %v", pattern, err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(f)] = src
	}
	return out
}

func TestGoodFilesParse(t *testing.T) {
	for name, src := range samples(t, "testdata/*.good.yaml") {
		job, diags := Parse(name, src, options(src))
		if len(diags) > 0 || job == nil {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

func TestSampleJobsParse(t *testing.T) {
	for name, src := range samples(t, "*.yaml") {
		o := options(src)
		if strings.Contains(string(src), "${day}") {
			o.Params["day"] = "2013-01-31"
		}
		if _, diags := Parse(name, src, o); len(diags) > 0 {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

func TestBadFilesAnswerTheirDiagnostics(t *testing.T) {
	codes := map[string]bool{}
	for name, src := range samples(t, "testdata/*.bad.yaml") {
		job, diags := Parse(name, src, options(src))
		if job != nil || len(diags) == 0 {
			t.Errorf("%s: no diagnostics", name)
		}
		checkDiagnostics(t, name, diags)
		for _, d := range diags {
			codes[d.Code] = true
		}
		checkGolden(t, "testdata/"+strings.TrimSuffix(name, ".yaml")+".golden", diags.Error()+"\n")
	}
	for _, code := range allCodes {
		if !codes[code] && code != CodeUnreadable && code != CodeTooMany {
			t.Errorf("no bad file answers %s", code)
		}
	}
}

var allCodes = []string{
	CodeBadValue, CodeContradiction, CodeDuplicate, CodeDuplicateKey, CodeMissing, CodeMissingBound, CodeMissingEnv,
	CodeMissingParam, CodeTooMany, CodeUnknownKey, CodeUnknownParam, CodeUnreadable, CodeUnusedParam,
	CodeWrongType, CodeYAML,
}

// checkDiagnostics checks properties that every list of diagnostics has.
func checkDiagnostics(t testing.TB, file string, diags Diagnostics) {
	t.Helper()
	for i, d := range diags {
		if d.File != file || d.Line < 1 || d.Column < 1 || d.Message == "" || strings.ContainsAny(d.Message+d.Hint, "\r\n") {
			t.Errorf("%s: not a diagnostic for people: %#v", file, d)
		}
		if !slices.Contains(allCodes, d.Code) {
			t.Errorf("%s: code %s is none of allCodes", file, d.Code)
		}
		if i > 0 && (diags[i-1].Line > d.Line || diags[i-1].Line == d.Line && diags[i-1].Column > d.Column) {
			t.Errorf("%s: diagnostic %d is out of order", file, i)
		}
	}
}

func checkGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
