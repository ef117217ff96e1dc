package arch

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// pages returns the text of each Markdown file of the repository, by its slash-separated path.
func pages(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == ".git" || d.Name() == "node_modules"):
			return fs.SkipDir
		case path.Ext(name) != ".md":
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		texts[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

var (
	codeBlock  = regexp.MustCompile("(?s)```.*?```")
	codeSpan   = regexp.MustCompile("`[^`\n]*`")
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	withScheme = regexp.MustCompile(`^[a-z]+:`)
	heading    = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	linkText   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	named      = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)
)

// anchors returns the fragments that a link to a page can have: the names of its headings, as GitHub makes them, and
// its named places.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	text = codeBlock.ReplaceAllString(text, "")
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		title := strings.ToLower(strings.TrimSpace(linkText.ReplaceAllString(m[1], "$1")))
		found[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return r
			}
			return -1
		}, title)] = true
	}
	for _, m := range named.FindAllStringSubmatch(text, -1) {
		found[m[1]] = true
	}
	return found
}

// Every link from a page to a file of the repository, or to a place in a page, leads somewhere.
func TestLinksBetweenPages(t *testing.T) {
	texts := pages(t)
	links := 0
	for name, text := range texts {
		prose := codeSpan.ReplaceAllString(codeBlock.ReplaceAllString(text, ""), "")
		for _, m := range link.FindAllStringSubmatch(prose, -1) {
			if withScheme.MatchString(m[1]) {
				continue
			}
			links++
			file, place, _ := strings.Cut(m[1], "#")
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s: the link %s leads to no file", name, m[1])
			} else if page, ok := texts[target]; ok && place != "" && !anchors(page)[place] {
				t.Errorf("%s: the link %s leads to no heading", name, m[1])
			}
		}
	}
	if links < 50 {
		t.Errorf("only %d links were found", links)
	}
}

// No two decisions have one number.
func TestDecisionNumbers(t *testing.T) {
	names, err := filepath.Glob(root + "/docs/adr/*.md")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d pages: %v", len(names), err)
	}
	numbered := map[string]string{}
	for _, name := range names {
		number, _, _ := strings.Cut(filepath.Base(name), "-")
		if other := numbered[number]; other != "" {
			t.Errorf("%s and %s have one number", other, name)
		}
		numbered[number] = name
	}
}

var quoted = regexp.MustCompile("`([^`]+)`")

// Every file that the tables of docs/ARCHITECTURE.md name exists. A name without its folder is in the folder of the
// name before it.
func TestWhereThingsAre(t *testing.T) {
	text, err := os.ReadFile(root + "/docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		folder := "."
		for _, m := range quoted.FindAllStringSubmatch(line, -1) {
			name := m[1]
			if path.Ext(name) != ".go" && !strings.Contains(name, "/") {
				continue // a word of the code
			}
			checked++
			place := name
			if folders, _ := filepath.Glob(filepath.Join(root, place)); len(folders) == 0 {
				place = path.Join(folder, name)
			}
			if found, _ := filepath.Glob(filepath.Join(root, place)); len(found) == 0 {
				t.Errorf("%s is not there:\n%s", name, line)
				continue
			}
			folder = path.Dir(place)
		}
	}
	if checked < 50 {
		t.Errorf("only %d names were found", checked)
	}
}

var pageName = regexp.MustCompile(`\bdocs/[a-zA-Z0-9_/-]+\.(?:md|png)\b|\bdocs/adr/[0-9]{4}\b`)

// Every page that a file of the repository names, in a message or a comment, is there.
func TestPagesThatAreNamed(t *testing.T) {
	names := 0
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == ".git" || d.Name() == "node_modules"):
			return fs.SkipDir
		case !d.Type().IsRegular() || !slices.Contains([]string{".go", ".md", ".yaml", ".yml", ".json", ""}, path.Ext(name)):
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		for _, page := range pageName.FindAllString(string(text), -1) {
			names++
			if found, _ := filepath.Glob(filepath.Join(root, page+"*")); len(found) == 0 {
				t.Errorf("%s names %s, which is not there", name, page)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if names < 20 {
		t.Errorf("only %d names were found", names)
	}
}

var (
	testName = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z][A-Za-z0-9]+\b`)
	testFunc = regexp.MustCompile(`(?m)^func (?:\([^)]*\) )?((?:Test|Fuzz|Benchmark)[A-Z]\w*)\(`)
)

// Every test that a page names is there.
func TestTestsThatAreNamed(t *testing.T) {
	have := map[string]bool{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == ".git" || d.Name() == "node_modules"):
			return fs.SkipDir
		case !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		for _, m := range testFunc.FindAllStringSubmatch(string(text), -1) {
			have[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range pages(t) {
		for _, test := range testName.FindAllString(text, -1) {
			if !have[test] {
				t.Errorf("%s names %s, which is not there", name, test)
			}
		}
	}
}
