// Mutants seeds one bug at a time into the sources, without changing them (go test -overlay), and reports the tests
// that notice it.
//
//	go run ./internal/mutants             all bugs of list.txt
//	go run ./internal/mutants -only REGEX those whose name or file matches
//	go run ./internal/mutants -fast       without trying all packages on a bug that its tests do not notice
//	go run ./internal/mutants -check      only check that every bug has its place in the sources and compiles
//
// If the tests are in another module, they run there; the bug may be in either module. A run takes long and is not part
// of CI. The exit code is 1 if no test notices a bug, or if an entry of list.txt no longer matches the sources.
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
	placed, failed := l.locate(all)
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
		say("%3d/%d %-9s %-40s %5.1fs  %s\n", i+1, len(placed), r.verdict, b.name, time.Since(begin).Seconds(),
			cmp.Or(r.by, b.breaks))
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
		len(all), len(placed)-len(lived)-len(elsewhere)-(len(failed)-(len(all)-len(placed))), len(elsewhere), len(lived),
		len(failed))
	for _, text := range elsewhere {
		say("caught by others: %s\n", text)
	}
	for _, text := range lived {
		failed = append(failed, errors.New("lived: "+text))
	}
	return errors.Join(failed...)
}
