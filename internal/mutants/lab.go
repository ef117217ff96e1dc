package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The verdicts on a seeded bug.
const (
	caught          = "caught"
	caughtElsewhere = "elsewhere" // only a test that the list does not name notices it
	survived        = "LIVED"
	broken          = "BROKEN" // the source code with the bug does not compile
)

// result is the verdict on a bug, with the tests that noticed it or the compiler's message.
type result struct{ verdict, by string }

// lab runs tests with seeded bugs. It writes changed files to a folder of its own, and never changes the sources.
type lab struct {
	root, dir string
	modules   []string          // folders of the modules
	sources   map[string][]byte // the Go files, by path from the root
	kept      map[string]bool   // failure files of rapid that existed before
}

func newLab() (*lab, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	l := &lab{root: strings.TrimSpace(string(out)), sources: map[string][]byte{}, kept: map[string]bool{}}
	err = filepath.WalkDir(l.root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err == nil && filepath.Ext(path) == ".fail":
			l.kept[path] = true
		case err == nil && d.Name() == "go.mod":
			l.modules = append(l.modules, filepath.Dir(path))
		}
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		name, err := filepath.Rel(l.root, path)
		if err == nil {
			l.sources[filepath.ToSlash(name)], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	l.dir, err = os.MkdirTemp("", "mutants")
	return l, err
}

func (l *lab) close() {
	_ = os.RemoveAll(l.dir)
	l.sweep()
}

// failureFiles is a part of the path of each file in which the package rapid stores the input of a failed test. Tests
// fail here because of a seeded bug, so these files are deleted.
const failureFiles = "testdata/rapid/Test"

// sweep removes the failure files that tests left, and their folders if these are then empty.
func (l *lab) sweep() {
	var folders []string
	// An error is ignored: git status shows a file that remains.
	_ = filepath.WalkDir(l.root, func(path string, d fs.DirEntry, err error) error {
		name := filepath.ToSlash(path)
		switch {
		case err != nil:
		case strings.Contains(name, failureFiles) && filepath.Ext(path) == ".fail" && !l.kept[path]:
			_ = os.Remove(path)
		case d.IsDir() && strings.HasSuffix(filepath.ToSlash(filepath.Dir(path)), "testdata/rapid"):
			folders = append(folders, path)
		}
		return nil
	})
	for _, dir := range folders { // Remove fails if the folder is not empty, which is no error
		_ = os.Remove(dir)
		_ = os.Remove(filepath.Dir(dir))
		_ = os.Remove(filepath.Dir(filepath.Dir(dir)))
	}
}

// find returns the range of bytes of the bug's old lines in source, and the number of times that they occur.
func (b *bug) find(source []byte) (from, to, times int) {
	lines := bytes.SplitAfter(source, []byte("\n"))
	at := 0
	for i := range lines {
		end := at
		match := len(lines)-i >= len(b.old)
		for j := 0; match && j < len(b.old); j++ {
			match = string(bytes.TrimSpace(lines[i+j])) == b.old[j]
			end += len(lines[i+j])
		}
		if match {
			from, to, times = at, end, times+1
		}
		at += len(lines[i])
	}
	return from, to, times
}

// locate returns the bugs whose old lines occur once, each with the file that has them: b.file or, if the lines have
// moved, the only other file with them. It returns an error for each other bug.
func (l *lab) locate(all []bug) (placed []bug, failed []error) {
	for _, b := range all {
		if _, _, times := b.find(l.sources[b.file]); times == 1 {
			placed = append(placed, b)
			continue
		} else if times > 1 {
			failed = append(failed, fmt.Errorf("list.txt:%d: %s: %s has the old text %d times: give more lines", b.line, b.name,
				b.file, times))
			continue
		}
		var files []string
		for name, source := range l.sources {
			if _, _, times := b.find(source); times == 1 && !strings.HasSuffix(name, "_test.go") {
				files = append(files, name)
			}
		}
		if len(files) != 1 {
			failed = append(failed, fmt.Errorf("list.txt:%d: %s: %s does not have the old text, and %d other files have: %q: "+
				"write the entry anew", b.line, b.name, b.file, len(files), b.old[0]))
			continue
		}
		say("note: list.txt:%d: %s moved from %s to %s\n", b.line, b.name, b.file, files[0])
		b.file = files[0]
		placed = append(placed, b)
	}
	for i := range placed {
		l.follow(&placed[i])
	}
	return placed, failed
}

// follow sets b.pkg to the package that now has the bug's tests, if they were moved.
func (l *lab) follow(b *bug) {
	first := regexp.MustCompile(`^[A-Za-z0-9_]+`).FindString(b.test)
	if first == "" {
		return
	}
	var packages []string
	for name, source := range l.sources {
		if strings.HasSuffix(name, "_test.go") && declared(source, first) {
			packages = append(packages, "./"+filepath.ToSlash(filepath.Dir(name)))
		}
	}
	if len(packages) == 1 && packages[0] != b.pkg {
		say("note: list.txt:%d: %s moved from %s to %s\n", b.line, first, b.pkg, packages[0])
		b.pkg = packages[0]
	}
}

// baseline runs the tests of all bugs on the unchanged source code. It returns an error if one fails, since such a test
// cannot notice a bug.
func (l *lab) baseline(all []bug) error {
	tests := map[string][]string{}
	for _, b := range all {
		for name := range strings.SplitSeq(b.test, "|") {
			if !slices.Contains(tests[b.pkg], name) {
				tests[b.pkg] = append(tests[b.pkg], name)
			}
		}
	}
	var errs []error
	for pkg, names := range tests {
		for _, name := range names {
			if !l.declares(pkg, name) {
				errs = append(errs, fmt.Errorf("%s has no test %s", pkg, name))
			}
		}
		if slices.Contains(names, "") {
			names = nil
		}
		if out, err := l.test("", pkg, strings.Join(names, "|")); err != nil {
			errs = append(errs, fmt.Errorf("%s fails without any bug:\n%s", pkg, out))
		}
	}
	return errors.Join(errs...)
}

// declares reports whether a package has a test of this name, or the name is empty.
func (l *lab) declares(pkg, test string) bool {
	name, _, _ := strings.Cut(test, "/")
	if name == "" {
		return true
	}
	for file, source := range l.sources {
		if strings.HasSuffix(file, "_test.go") && "./"+path.Dir(file) == pkg && declared(source, name) {
			return true
		}
	}
	return false
}

// declared reports whether a file has a test, or a fuzz test, whose seeds run with every test run.
func declared(source []byte, name string) bool {
	return bytes.Contains(source, []byte("func "+name+"(t *testing.T)")) ||
		bytes.Contains(source, []byte("func "+name+"(f *testing.F)"))
}

var failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// try seeds a bug into the source code, runs its tests and returns the verdict.
func (l *lab) try(b bug, fast bool) result {
	overlay, err := l.overlay(b)
	if err != nil {
		return result{broken, err.Error()}
	}
	for i, pkg := range []string{b.pkg, everything} {
		test, verdict := b.test, caught
		if i > 0 {
			test, verdict = "", caughtElsewhere
			if fast {
				break
			}
		}
		if pkg == everything { // run the tests of all packages of the module
			dir, _ := l.module(b.pkg)
			pkg = filepath.ToSlash(filepath.Join(dir, everything))
		}
		out, err := l.test(overlay, pkg, test)
		switch {
		case err == nil:
		case strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]"):
			return result{broken, out}
		default:
			return result{verdict, by(out)}
		}
	}
	return result{survived, b.breaks}
}

// by returns the names of the failed tests in the output of go test. If there are none, a test ended the process.
func by(out string) string {
	var names []string
	for _, m := range failedTest.FindAllStringSubmatch(out, -1) {
		names = append(names, m[1])
	}
	if len(names) == 0 {
		return "a test that ended its process"
	}
	if len(names) > 3 {
		names = append(names[:3], "…")
	}
	return strings.Join(names, " ")
}

// overlay writes the changed file, and the description of the replacement for go test -overlay, whose path it returns.
func (l *lab) overlay(b bug) (string, error) {
	original := filepath.Join(l.root, filepath.FromSlash(b.file))
	source, err := os.ReadFile(original) // read the file again: it may have changed since the list was read
	if err != nil {
		return "", err
	}
	from, to, times := b.find(source)
	if times != 1 {
		return "", errors.New("the old text is gone")
	}
	changed := bytes.Clone(source[:from])
	for _, line := range b.new {
		changed = append(append(changed, line...), '\n')
	}
	changed = append(changed, source[to:]...)
	file, description := filepath.Join(l.dir, "changed.go"), filepath.Join(l.dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{original: file}})
	if err != nil {
		return "", err
	}
	return description, errors.Join(os.WriteFile(file, changed, 0o600), os.WriteFile(description, text, 0o600))
}

// everything is the name of a package that stands for all packages of a module.
const everything = "..."

// module returns the folder, from the root, of the module that a package or a folder is in, and the package's path
// within the module.
func (l *lab) module(pkg string) (dir, within string) {
	at := filepath.Join(l.root, filepath.FromSlash(pkg))
	best := l.root
	for _, m := range l.modules {
		if len(m) > len(best) && strings.HasPrefix(at+string(filepath.Separator), m+string(filepath.Separator)) {
			best = m
		}
	}
	dir, _ = filepath.Rel(l.root, best) // no error: both paths are absolute
	within, _ = filepath.Rel(best, at)  // no error: both paths are absolute
	return dir, "./" + filepath.ToSlash(within)
}

// run runs the go command in the module of a package, which is its last argument.
func (l *lab) run(pkg string, args ...string) (out string, err error) {
	dir, within := l.module(pkg)
	cmd := exec.Command("go", append(args, within)...)
	cmd.Dir = filepath.Join(l.root, dir)
	cmd.Env = append(os.Environ(), "DPRELEASE_CHECK=1") // the slow tests too
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// test runs tests of a package, those of make check too.
func (l *lab) test(overlay, pkg, tests string) (out string, err error) {
	args := []string{"test", "-tags", "check", "-vet=off", "-ldflags=-s -w", "-failfast", "-timeout", "10m"}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	if tests != "" {
		args = append(args, "-run", anchored(tests))
	}
	return l.run(pkg, args...)
}

// compile builds the package of each bug with the bug.
func (l *lab) compile(all []bug) (failed []error) {
	for _, b := range all {
		overlay, err := l.overlay(b)
		if err == nil {
			var out string
			if out, err = l.run("./"+path.Dir(b.file), "build", "-overlay", overlay); err != nil {
				err = fmt.Errorf("%w: %s", err, out)
			}
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("list.txt:%d: %s: %w", b.line, b.name, err))
		}
	}
	return failed
}

// anchored converts a list such as TestA/part|TestB to a regular expression that matches whole names.
func anchored(tests string) string {
	all := strings.Split(tests, "|")
	for i, name := range all {
		all[i] = "^" + strings.ReplaceAll(name, "/", "$/^") + "$"
	}
	return strings.Join(all, "|")
}

// say prints a finding. It ignores errors of the output.
func say(format string, args ...any) { _, _ = fmt.Fprintf(os.Stdout, format, args...) }
