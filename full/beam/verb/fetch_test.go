package verb

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	dpbeam "github.com/dprelease/dprelease/full/beam"
	"github.com/dprelease/dprelease/pipeline/partial"
)

// fetch skips an incomplete result and a result under another key, and takes a complete one. If there is no complete
// one, it fails.
func TestFetchedResultIsWhole(t *testing.T) {
	k, err1 := partial.NewKey(make([]byte, 32))
	other, err2 := partial.NewKey(make([]byte, 32))
	whole, err3 := k.Encrypt([]byte("the result"))
	foreign, err4 := other.Encrypt([]byte("the result"))
	for _, err := range []error{err1, err2, err3, err4} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, x := range map[string]struct {
		files [][]byte
		ok    bool
	}{
		"nothing": {nil, false}, "cut": {[][]byte{whole[:len(whole)-1]}, false}, "another key": {[][]byte{foreign},
			false}, "all": {[][]byte{whole[:len(whole)-1], {}, foreign, whole}, true},
	} {
		out := filepath.Join(t.TempDir(), "run-")
		for i, content := range x.files {
			if err := os.WriteFile(out+string(rune('a'+i))+dpbeam.PartEnding, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		path, err := fetch(t.Context(), out, t.TempDir(), k)
		if (err == nil) != x.ok {
			t.Fatalf("%s: %v", name, err)
		}
		if err != nil {
			continue
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, whole) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}
