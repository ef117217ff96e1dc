// Package arch holds tests of the repository as a whole: that each of the linter's layer rules catches a violation,
// that the public API changes only on purpose, and that the pages name files that exist. .golangci.yml states what each
// package may import and call.
package arch

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"go.yaml.in/yaml/v4"

	"github.com/dprelease/dprelease/internal/owntest"
)

// root is the root of the repository.
const root = "../.."

// TestRulesBite lints a module that breaks each rule of imports and calls, and compares the findings with the comments
// "bites:" of its lines.
func TestRulesBite(t *testing.T) {
	owntest.Slow(t)
	config, err := os.ReadFile(filepath.Join(root, ".golangci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	archive, err := txtar.ParseFile("testdata/bites.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	archive.Files = append(archive.Files, txtar.File{Name: ".golangci.yml", Data: config})
	if err := txtar.Write(archive, dir); err != nil {
		t.Fatal(err)
	}
	found, bitten := lint(t, dir), ""
	for _, f := range archive.Files {
		for i, line := range strings.Split(string(f.Data), "\n") {
			at := fmt.Sprintf("%s:%d", f.Name, i+1)
			_, want, ok := strings.Cut(line, "// bites: ")
			if ok != (found[at] != "") || !strings.Contains(found[at], want) {
				t.Errorf("%s: %q was found, want %q", at, found[at], want)
			}
			bitten += found[at] + "\n"
		}
	}
	for _, rule := range rules(t, config) {
		if !strings.Contains(bitten, rule) {
			t.Errorf("no line of testdata/bites.txtar shows that this rule bites: %s", rule)
		}
	}
}

// lint returns the linter's findings in a module, by file and line.
func lint(t *testing.T, dir string) map[string]string {
	t.Helper()
	linter, err := exec.LookPath("golangci-lint")
	if err != nil {
		gopath, failed := exec.Command("go", "env", "GOPATH").Output()
		linter = filepath.Join(strings.TrimSpace(string(gopath)), "bin", "golangci-lint")
		if _, err := os.Stat(linter); err != nil || failed != nil {
			t.Skip("golangci-lint is not installed")
		}
	}
	cmd := exec.Command(linter, "run", "--enable-only", "depguard,forbidigo,gomoddirectives", "--issues-exit-code", "0",
		"--show-stats=false",
		"--allow-parallel-runners", "--output.json.path", "stdout", "./...")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	text, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Logf("%s", exit.Stderr)
		}
		t.Fatal(err)
	}
	var report struct {
		Issues []struct {
			Text string
			Pos  struct {
				Filename string
				Line     int
			}
		}
	}
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, issue := range report.Issues {
		found[fmt.Sprintf("%s:%d", filepath.ToSlash(issue.Pos.Filename), issue.Pos.Line)] += issue.Text
	}
	return found
}

// rules returns, for each rule on imports and calls, a text that its findings contain.
func rules(t *testing.T, config []byte) (out []string) {
	t.Helper()
	var c struct {
		Linters struct {
			Settings struct {
				Depguard  struct{ Rules map[string]any }
				Forbidigo struct{ Forbid []struct{ Msg string } }
			}
		}
	}
	if err := yaml.Unmarshal(config, &c); err != nil {
		t.Fatal(err)
	}
	for name := range c.Linters.Settings.Depguard.Rules {
		out = append(out, "from list '"+name+"'")
	}
	for _, call := range c.Linters.Settings.Forbidigo.Forbid {
		out = append(out, call.Msg)
	}
	if len(out) < 20 {
		t.Fatalf("only %d rules were found", len(out))
	}
	return out
}
