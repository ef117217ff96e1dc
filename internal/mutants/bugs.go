package main

import (
	"fmt"
	"strings"
)

// bug is an entry of list.txt: a change of the source code that a test must notice.
type bug struct {
	name, file, breaks string
	pkg, test          string   // the package, and a regular expression of the tests that notice the bug; empty: all tests
	old, new           []string // the lines to replace and their replacement, without surrounding space
	line               int      // the entry's line in list.txt
}

// parse reads the list. Entries are separated by empty lines, and # begins a comment.
//
//	bug NAME
//	file PATH
//	breaks the rule that the bug breaks
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
