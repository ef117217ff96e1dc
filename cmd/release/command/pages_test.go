package command

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/owntest"
)

// Pages for users are tested as a reader would use them. The commands of a page's sh blocks run in order, in one folder
// for each page. The line that starts a block and the comment above it say what the test does:
//
//	<!-- folder: examples/library -->      at the top of a page: its folder starts with a copy of these files
//	```sh                                  runs, and must succeed
//	```sh fails                            runs, and must fail
//	```text                                right below an sh block: each of its lines is one of the output, up to blanks; a line … stands for lines that are left out
//	```text noisy                          the same, with other numbers
//	```yaml NAME                           is written into the folder; a command below must use it
//	```yaml                                is a whole job, which TestSampleJobsPlan plans
//	<!-- syntax only: needs docker -->     above a block: it does not run; the shell's syntax, and the verbs and flags of release, are checked

// A block is a fenced block of a page.
type block struct {
	line   int    // the number of the line in the page, from 1
	info   string // the text after the backticks
	text   string
	note   string // the comment right above the block, without its marks
	output bool   // no other text is between this block and the one before it
}

func (b block) language() string {
	language, _, _ := strings.Cut(b.info, " ")
	return language
}

func (b block) syntaxOnly() bool { return strings.HasPrefix(b.note, "syntax only: ") }

// A page is a Markdown file for users.
type page struct {
	path, folder string // folder: the files with which the reader starts, relative to the root; "" if there are none
	prose        string // all that is in no block
	blocks       []block
}

func readPage(t *testing.T, path string) page {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p := page{path: path}
	var prose strings.Builder
	var open *block
	note, adjacent := "", false
	for i, line := range strings.Split(string(text), "\n") {
		info, fence := strings.CutPrefix(line, "```")
		comment := strings.TrimSuffix(strings.TrimPrefix(line, "<!-- "), " -->")
		switch {
		case open != nil && line == "```":
			p.blocks = append(p.blocks, *open)
			open, note, adjacent = nil, "", true
		case open != nil:
			open.text += line + "\n"
		case fence:
			open = &block{line: i + 1, info: info, note: note, output: adjacent}
		case comment != line:
			note = comment
			if folder, ok := strings.CutPrefix(comment, "folder: "); ok {
				p.folder = folder
			}
		case line != "":
			note, adjacent = "", false
			prose.WriteString(line + "\n")
		}
	}
	if open != nil {
		t.Errorf("%s:%d: the block has no end", path, open.line)
	}
	p.prose = prose.String()
	return p
}

// userPages returns the pages whose commands are tested: README.md, all of docs except the decisions, and the pages of
// jobs for official statistics.
func userPages(t *testing.T) []page {
	t.Helper()
	root := filepath.Join("..", "..", "..")
	pages := []page{readPage(t, filepath.Join(root, "README.md"))}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "adr":
			return fs.SkipDir
		case filepath.Ext(path) == ".md":
			pages = append(pages, readPage(t, path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"census", "labour-survey", "school-register"} {
		pages = append(pages, readPage(t, filepath.Join(root, "examples", name, "README.md")))
	}
	return pages
}

func TestPagesRun(t *testing.T) {
	notShort(t)
	pages := userPages(t)
	if !owntest.Checking() {
		pages = slices.DeleteFunc(pages, func(p page) bool { return p.path != filepath.Join("..", "..", "..", "README.md") })
	}
	runPages(t, pages, func(t *testing.T) string { return t.TempDir() })
}

// A reader can follow the README, the tutorial and every how-to in one folder, one after the other, without an error.
func TestPagesRunInOneFolder(t *testing.T) {
	notShort(t)
	owntest.Slow(t)
	dir := t.TempDir()
	var inOrder []page
	// The page about operating is the last: it moves the ledger.
	for _, name := range []string{"README.md", "tutorial.md", "choose.md", "ask.md", "databases.md", "object-stores.md",
		"scale.md", "go.md", "python.md", "operate.md"} {
		for _, p := range userPages(t) {
			if filepath.Base(p.path) == name && !strings.Contains(p.path, "examples") {
				inOrder = append(inOrder, p)
			}
		}
	}
	runPages(t, inOrder, func(*testing.T) string { return dir })
}

// runPages runs the commands of pages, each in the folder that folder returns.
func runPages(t *testing.T, pages []page, folder func(*testing.T) string) {
	t.Helper()
	ran := 0
	for _, p := range pages {
		t.Run(filepath.Base(p.path), func(t *testing.T) {
			t.Setenv("HOME", t.TempDir())
			dir := folder(t)
			if p.folder != "" {
				copyFiles(t, filepath.Join("..", "..", "..", p.folder), dir)
			}
			output := ""
			for i, b := range p.blocks {
				place := fmt.Sprintf("%s:%d", p.path, b.line)
				switch name := strings.TrimPrefix(b.info, "yaml "); {
				case b.syntaxOnly():
					checkSyntax(t, place, b)
					output = ""
				case b.language() == "sh":
					output = runBlock(t, place, dir, b)
					ran++
				case b.language() == "text" && b.output && i > 0 && output != "":
					checkOutput(t, place, b, output)
				case name != b.info:
					checkUsed(t, place, name, p.blocks[i+1:])
					if err := os.WriteFile(filepath.Join(dir, name), []byte(b.text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				if t.Failed() {
					return
				}
			}
		})
	}
	if ran == 0 {
		t.Error("no block ran")
	}
}

// copyFiles copies the files of a folder, without folders in it.
func copyFiles(t *testing.T, from, to string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, e.Name()), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func runBlock(t *testing.T, place, dir string, b block) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-eu", "-c", b.text)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if fails := b.info == "sh fails"; fails != (err != nil) {
		t.Errorf("%s: %v, output:\n%s", place, err, out)
	}
	return string(out)
}

// number matches a number that may differ in a new release, with its sign and an exponent.
var number = regexp.MustCompile(`-?\d[\d.,]*(e[+-]?\d+)?`)

func checkOutput(t *testing.T, place string, b block, output string) {
	t.Helper()
	plain := func(line string) string {
		if b.info == "text noisy" {
			line = number.ReplaceAllString(line, "#")
		}
		// The cost follows this word if the ledger exists already, as when pages are followed in one folder.
		return strings.TrimPrefix(strings.Join(strings.Fields(line), " "), "budget: ")
	}
	have := map[string]bool{}
	for line := range strings.Lines(output) {
		have[plain(line)] = true
	}
	for line := range strings.Lines(b.text) {
		if want := plain(line); want != "…" && want != "" && !have[want] {
			t.Errorf("%s: the page shows the line\n%s\nwhich is not in the output\n%s", place, line, output)
			return
		}
	}
}

// checkUsed reports a file that no later command uses: nothing would test it.
func checkUsed(t *testing.T, place, name string, below []block) {
	t.Helper()
	for _, b := range below {
		if b.language() == "sh" && !b.syntaxOnly() && strings.Contains(b.text, name) {
			return
		}
	}
	t.Errorf("%s: no command below uses %s", place, name)
}

// checkSyntax checks a block that cannot run in a test.
func checkSyntax(t *testing.T, place string, b block) {
	t.Helper()
	if b.language() == "sh" {
		cmd := exec.CommandContext(t.Context(), "sh", "-n")
		cmd.Stdin = strings.NewReader(b.text)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", place, err, out)
		}
	}
	for line := range strings.Lines(strings.ReplaceAll(b.text, "\\\n", " ")) {
		if b.language() == "sh" {
			line, _, _ = strings.Cut(line, " # ") // a comment follows
		}
		for _, call := range calls.FindAllString(line, -1) {
			if err := checkCall(call); err != nil {
				t.Errorf("%s: %s: %v", place, call, err)
			}
		}
	}
}

var (
	// calls finds the program and its arguments in a line of a script, a systemd unit, a crontab or Python.
	calls = regexp.MustCompile(`\b(dp)?release [a-z][^|;&'"]*`)
	// spans finds calls of the program within prose.
	spans = regexp.MustCompile("`release [^`]+`")
)

// checkCall checks that a call of the program names a verb and flags of that verb.
func checkCall(call string) error {
	a := &app{Console: console.New(io.Discard, io.Discard)}
	args := arguments(call)
	root := a.root()
	root.InitDefaultCompletionCmd(args...)
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if !cmd.HasParent() && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		return fmt.Errorf("there is no verb %s", rest[0])
	}
	for _, word := range rest {
		if name, ok := strings.CutPrefix(word, "--"); ok && !hasFlag(cmd, name) {
			return fmt.Errorf("%s has no flag %s", cmd.CommandPath(), word)
		}
	}
	return nil
}

// arguments returns the arguments of a call, without marks around them.
func arguments(call string) []string {
	fields := strings.Fields(strings.Trim(call, "`"))[1:]
	for i := range fields {
		fields[i] = strings.Trim(fields[i], `"'[](),`)
	}
	return fields
}

func hasFlag(cmd *cobra.Command, name string) bool {
	name, _, _ = strings.Cut(name, "=")
	cmd.InitDefaultHelpFlag()
	return cmd.Flags().Lookup(name) != nil || cmd.InheritedFlags().Lookup(name) != nil
}

// otherPages returns the pages of examples and modules. Their commands do not run: they start in the repository's
// folder, need other programs, or take long.
func otherPages(t *testing.T) []page {
	t.Helper()
	var pages []page
	for _, pattern := range []string{"examples/*.md", "examples/*/*.md", "bench/*.md", "full/*/*.md"} {
		paths, err := filepath.Glob(filepath.Join("..", "..", "..", pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: no page (%v)", pattern, err)
		}
		for _, path := range paths {
			pages = append(pages, readPage(t, path))
		}
	}
	return pages
}

func TestSyntaxOfOtherPages(t *testing.T) {
	for _, p := range otherPages(t) {
		for _, b := range p.blocks {
			if b.language() == "sh" {
				checkSyntax(t, fmt.Sprintf("%s:%d", p.path, b.line), b)
			}
		}
	}
}

// Prose names only verbs and flags that the program has.
func TestPagesNameVerbsAndFlags(t *testing.T) {
	found := 0
	for _, p := range append(userPages(t), otherPages(t)...) {
		for _, call := range spans.FindAllString(p.prose, -1) {
			found++
			if err := checkCall(call); err != nil {
				t.Errorf("%s: %s: %v", p.path, call, err)
			}
		}
	}
	if found == 0 {
		t.Error("no call found")
	}
	if err := checkCall("release run job.yaml --no-such-flag"); err == nil {
		t.Error("a flag that does not exist passes")
	}
	if err := checkCall("release nothing job.yaml"); err == nil {
		t.Error("a verb that does not exist passes")
	}
}
