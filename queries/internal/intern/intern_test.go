package intern

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// The tables of units agree with Go's maps while they grow.
func TestInterning(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, x := NewUint64s(), NewTexts()
		for range 2 {
			ids := map[uint64]int32{}
			for _, key := range rapid.SliceOfN(rapid.Uint64Range(1, 300), 0, 600).Draw(rt, "keys") {
				if _, ok := ids[key]; !ok {
					ids[key] = int32(len(ids))
				}
				text := []byte(fmt.Sprint(key * key))
				if a, b := w.ID(key), x.ID(text); a != ids[key] || b != a || string(x.At(b)) != string(text) {
					rt.Fatalf("key %d: %d and %d, want %d", key, a, b, ids[key])
				}
			}
			if n := len(ids); w.Len() != n || x.Len() != n {
				rt.Fatalf("%d words, %d texts, want %d", w.Len(), x.Len(), n)
			}
			w.Reset()
			x.Reset()
		}
	})
}
