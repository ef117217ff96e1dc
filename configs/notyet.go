package configs

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// unbuilt is a part of the format that this version of the program does not do: a path (with [] for any item) and, where only
// some values of it are meant, which.
type unbuilt struct {
	path  string
	value func(string) bool // nil: all values
	what  string
}

// notYet is everything that is part of the format, but not done yet. What is built leaves this table, and that is all.
var notYet = []unbuilt{
	{"ledger.store", isPostgres, "ledgers in Postgres"},
}

// Unbuilt is a part of the format that this version of the program does not do yet.
type Unbuilt struct{ Path, What string }

// NotYet lists what is part of the format but answers with the diagnostic not-yet.
func NotYet() []Unbuilt {
	var out []Unbuilt
	for _, u := range notYet {
		out = append(out, Unbuilt{u.path, u.what})
	}
	return out
}

func isPostgres(s string) bool {
	return strings.HasPrefix(s, "postgres://") || strings.HasPrefix(s, "postgresql://")
}

// unbuilt reports what the job uses of a table and returns the paths: nothing under them is checked any further.
func (c *checker) unbuilt(table []unbuilt) []string {
	var found []string
	for _, u := range table {
		c.matches(c.src.root, nil, u.path, func(at *path, n *yaml.Node) {
			if u.value != nil && !u.value(c.text(at, n)) || n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
				return
			}
			found = append(found, at.String())
			c.add(at.String(), c.place(at), problem{CodeNotYet, u.what + " are not in this version of the program yet", "the rest of the job was checked; remove this for now"})
		})
	}
	return found
}

// matches calls f for each node at a path with [] for any item.
func (c *checker) matches(n *yaml.Node, at *path, pattern string, f func(*path, *yaml.Node)) {
	n = follow(n)
	if pattern == "" {
		f(at, n)
		return
	}
	if rest, ok := strings.CutPrefix(pattern, "[]"); ok {
		for i := 0; n.Kind == yaml.SequenceNode && i < len(n.Content); i++ {
			c.matches(n.Content[i], at.item(i), strings.TrimPrefix(rest, "."), f)
		}
		return
	}
	end := strings.IndexAny(pattern, ".[")
	if end < 0 {
		end = len(pattern)
	}
	if _, v := child(n, pattern[:end], -1); v != nil {
		c.matches(v, at.at(pattern[:end]), strings.TrimPrefix(pattern[end:], "."), f)
	}
}
