// Mutants seeds one bug at a time into the sources, without changing them (go test -overlay), and says which tests
// notice it.
//
//	go run ./internal/mutants             all bugs of list.txt
//	go run ./internal/mutants -only REGEX those whose name or file matches
//	go run ./internal/mutants -fast       without trying all packages on a bug that its tests do not notice
//	go run ./internal/mutants -check      whether the list fits the sources: every bug has its place and compiles
//
// It takes long and is not part of CI. The exit code is 1 if a bug lived, or if an entry of the list no longer fits the
// sources.
package main

import (
	"cmp"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

//go:embed list.txt
var list string

func main() {
	only := flag.String("only", "", "a regular expression: only bugs whose name or file it matches")
	fast := flag.Bool("fast", false, "do not try all packages on a bug that the listed tests let live")
	check := flag.Bool("check", false, "compile each bug, and run no tests")
	flag.Parse()
	if err := run(*only, *fast, *check); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(only string, fast, check bool) error {
	all, err := parse(list)
	if err != nil {
		return err
	}
	wanted, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	all = slices.DeleteFunc(all, func(b bug) bool { return !wanted.MatchString(b.name) && !wanted.MatchString(b.file) })
	l, err := newLab()
	if err != nil {
		return err
	}
	defer l.close()
	placed, failed := l.place(all)
	if check {
		return errors.Join(append(failed, l.compile(placed)...)...)
	}
	if err := l.baseline(placed); err != nil {
		return err
	}
	var lived, elsewhere []string
	for i, b := range placed {
		begin := time.Now()
		r := l.try(b, fast)
		say("%3d/%d %-9s %-40s %5.1fs  %s\n", i+1, len(placed), r.verdict, b.name, time.Since(begin).Seconds(), cmp.Or(r.by, b.breaks))
		switch r.verdict {
		case survived:
			lived = append(lived, b.name+": "+b.breaks)
		case caughtElsewhere:
			elsewhere = append(elsewhere, b.name+": "+r.by)
		case broken:
			failed = append(failed, fmt.Errorf("%s: %s", b.name, r.by))
		}
	}
	say("%d bugs: %d caught by the listed tests, %d by others, %d lived, %d entries do not fit\n",
		len(all), len(placed)-len(lived)-len(elsewhere)-(len(failed)-(len(all)-len(placed))), len(elsewhere), len(lived), len(failed))
	for _, text := range elsewhere {
		say("caught by others: %s\n", text)
	}
	for _, text := range lived {
		failed = append(failed, errors.New("lived: "+text))
	}
	return errors.Join(failed...)
}

// say prints a finding. Nothing can be done if the output is closed.
func say(format string, args ...any) { _, _ = fmt.Fprintf(os.Stdout, format, args...) }

// bug is an entry of the list.
type bug struct {
	name, file, breaks string
	pkg, test          string   // the package and, if not empty, the regular expression of the tests that notice the bug
	old, new           []string // lines; the space around them does not count
	line               int      // line of the list
}

// parse reads the list: entries are separated by empty lines, and # begins a comment.
//
//	bug NAME
//	file PATH
//	breaks what it breaks
//	test ./PACKAGE TESTS
//	-old line
//	+new line
func parse(text string) (all []bug, err error) {
	var b *bug
	names := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		key, rest, _ := strings.Cut(line, " ")
		switch {
		case strings.TrimSpace(line) == "":
			b = nil
		case line[0] == '#':
		case key == "bug" && !names[rest]:
			all, names[rest] = append(all, bug{name: rest, line: i + 1}), true
			b = &all[len(all)-1]
		case b == nil:
			return nil, fmt.Errorf("list.txt:%d: not in an entry, or a name that is there twice: %s", i+1, line)
		case line[0] == '-':
			b.old = append(b.old, strings.TrimSpace(line[1:]))
		case line[0] == '+':
			b.new = append(b.new, strings.TrimSpace(line[1:]))
		case key == "file":
			b.file = rest
		case key == "breaks":
			b.breaks = rest
		case key == "test":
			b.pkg, b.test, _ = strings.Cut(rest, " ")
		default:
			return nil, fmt.Errorf("list.txt:%d: unknown line: %s", i+1, line)
		}
	}
	for _, b := range all {
		if b.file == "" || b.breaks == "" || b.pkg == "" || len(b.old) == 0 {
			return nil, fmt.Errorf("list.txt:%d: %s has no file, breaks, test or old text", b.line, b.name)
		}
	}
	return all, nil
}
