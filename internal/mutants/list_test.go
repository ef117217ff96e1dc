package main

import (
	"slices"
	"strings"
	"testing"
)

// Every entry of the list has its old text exactly once in the file that it names, and its tests in the package that it
// names.
func TestListFitsTheSources(t *testing.T) {
	all, err := parse(list)
	if err != nil {
		t.Fatal(err)
	}
	l, err := newLab()
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	placed, failed := l.locate(slices.Clone(all))
	for _, err := range failed {
		t.Error(err)
	}
	listed := map[string]bug{}
	for _, b := range all {
		listed[b.name] = b
	}
	for _, b := range placed {
		if was := listed[b.name]; b.file != was.file || b.pkg != was.pkg {
			t.Errorf("list.txt:%d: %s: file %s and tests of %s, not %s and %s", b.line, b.name, b.file, b.pkg, was.file, was.pkg)
		}
		for _, name := range strings.Split(b.test, "|") {
			if !l.declares(b.pkg, name) {
				t.Errorf("list.txt:%d: %s: %s has no test %s", b.line, b.name, b.pkg, name)
			}
		}
	}
	if len(all) < 100 {
		t.Errorf("%d entries", len(all))
	}
}
