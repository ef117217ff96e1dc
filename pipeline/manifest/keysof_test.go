package manifest

import "testing"

// A query names a query of the release that did select keys, and has as many cells for each of them.
func TestKeysOf(t *testing.T) {
	selection := &Selection{MaxGroups: 2}
	for name, c := range map[string]struct {
		leader, follower Query
		ok               bool
	}{
		"listed":          {Query{Name: "a", Cells: 3}, Query{Name: "b", Cells: 5}, true},
		"one cell a key":  {Query{Name: "a", Cells: 3, Selection: selection}, Query{Name: "b", Cells: 3, KeysOf: "a"}, true},
		"two cells a key": {Query{Name: "a", Cells: 3, Selection: selection}, Query{Name: "b", Cells: 6, KeysOf: "a"}, true},
		"no key":          {Query{Name: "a", Selection: selection}, Query{Name: "b", KeysOf: "a"}, true},
		"a key too few": {Query{Name: "a", Cells: 3, Selection: selection}, Query{Name: "b", Cells: 4, KeysOf: "a"},
			false},
		"cells of nothing": {Query{Name: "a", Selection: selection}, Query{Name: "b", Cells: 2, KeysOf: "a"}, false},
		"listed keys":      {Query{Name: "a", Cells: 3}, Query{Name: "b", Cells: 3, KeysOf: "a"}, false},
		"another name": {Query{Name: "a", Cells: 3, Selection: selection}, Query{Name: "b", Cells: 3, KeysOf: "c"},
			false},
		"both": {Query{Name: "a", Cells: 3, Selection: selection},
			Query{Name: "b", Cells: 3, KeysOf: "a", Selection: selection}, false},
	} {
		m := Manifest{Queries: []Query{c.follower, c.leader}}
		if err := m.keysOf(&m.Queries[0]); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
