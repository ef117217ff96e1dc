package queries

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// The tables of units agree with Go's maps while they grow.
func TestInterning(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, x := newWords(), newTexts()
		for range 2 {
			ids := map[uint64]int32{}
			for _, key := range rapid.SliceOfN(rapid.Uint64Range(1, 300), 0, 600).Draw(rt, "keys") {
				if _, ok := ids[key]; !ok {
					ids[key] = int32(len(ids))
				}
				text := []byte(fmt.Sprint(key * key))
				if a, b := w.id(key), x.id(text); a != ids[key] || b != a || string(x.at(b)) != string(text) {
					rt.Fatalf("key %d: %d and %d, want %d", key, a, b, ids[key])
				}
			}
			if n := len(ids); w.len() != n || x.len() != n {
				rt.Fatalf("%d words, %d texts, want %d", w.len(), x.len(), n)
			}
			w.reset()
			x.reset()
		}
	})
}
