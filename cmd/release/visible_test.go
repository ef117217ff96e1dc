package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestVisible(t *testing.T) {
	for s, want := range map[string]string{
		"Ünïcode 世\t\n":         "Ünïcode 世\t\n",
		"\x1b[2Jgone":           `\u001b[2Jgone`,
		"a\u009b31mb":           `a\u009b31mb`,
		"a\rb\x00\x7f":          `a\u000db\u0000\u007f`,
		"evil\u202efdp.exe":     `evil\u202efdp.exe`,
		"zero\u200bwidth\u2028": `zero\u200bwidth\u2028`,
		"not\xffUTF-8 \uFFFD":   `not\xffUTF-8 ` + "\uFFFD",
		"\U000e0041":            `\udb40\udc41`,
	} {
		if got := visible(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
	if got := oneLine("a\tb\nerror: none"); got != `a\u0009b\u000aerror: none` {
		t.Error(got)
	}
	var back string
	if err := json.Unmarshal([]byte(`"`+visible("x\u009b\u202e\U000e0041")+`"`), &back); err != nil || back != "x\u009b\u202e\U000e0041" {
		t.Errorf("JSON reads %q, %v", back, err)
	}
}

// What a file's header and the job's labels hold never reaches the terminal raw, whatever the verb.
func TestHostileNamesAreShownEscaped(t *testing.T) {
	const evil = "\x1b]0;owned\x07\x1b[2J\u009b31m\u202e"
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("a.csv", "person,col"+evil+"\n1,k"+evil+"\n")
	quoted := strings.NewReplacer("\x1b", `\x1b`, "\x07", `\x07`, "\u009b", `\u009b`, "\u202e", `\u202e`).Replace(evil)
	job := func(column string) string {
		return `version: 1
name: hostile
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 1}}
input: {files: [a.csv]}
queries:
  - {name: keys, histogram: {by: [{column: "` + column + `", values: ["k` + quoted + `", b], as: key}]}}
output: {dir: out, formats: [csv, json]}
ledger: {store: "sqlite:ledger.db", dataset: "data` + quoted + `", budget: {epsilon: 10, delta: 1e-5}}
`
	}
	good, wrong := write("job.yaml", job("col"+quoted)), write("wrong.yaml", job("cole"))
	folder := filepath.Join(dir, "out")
	if err := os.Mkdir(filepath.Join(dir, "f"+evil), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"check", wrong}, {"plan", good}, {"run", good}, {"run", good, "--log", "json"}, {"verify", folder}, {"ledger", "show", good}, {"ledger", "audit", good},
		{"verify", filepath.Join(dir, "f"+evil)}, {"run", filepath.Join(dir, evil)}, {"registry", folder}, {"verify", folder, "--json"}, {evil},
	} {
		var out bytes.Buffer
		execute(t.Context(), args, &out, &out)
		if i := strings.IndexAny(out.String(), "\x1b\x07\u009b\u202e"); i >= 0 {
			t.Errorf("%q prints raw: %q", args, out.String()[max(0, i-60):min(out.Len(), i+40)])
		}
	}
}
