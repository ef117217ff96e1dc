package source_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/fault"
)

// damages returns the number of truncations and bit flips that are tried in each format.
func damages() int {
	switch {
	case os.Getenv("DPRELEASE_LONG") != "":
		return 2000
	case testing.Short():
		return 4
	}
	return 40
}

// damaged returns copy number i of content: cut short, or with a flipped bit, often in the footer or the first header.
func damaged(content []byte, i int) []byte {
	rng := rand.New(rand.NewSource(int64(i)))
	at := rng.Intn(len(content))
	switch i % 4 {
	case 0:
		return content[:at]
	case 1:
		at = len(content) - 1 - rng.Intn(min(len(content), 1500))
	case 2:
		at = rng.Intn(min(len(content), 60))
	}
	b := bytes.Clone(content)
	b[at] ^= 1 << rng.Intn(8)
	return b
}

// checksummed reports whether a flipped bit is always noticed in the format: it is an error, or changes no value.
func checksummed(name string) bool {
	return strings.HasPrefix(name, "go-") || strings.HasSuffix(name, ".gz") || strings.HasSuffix(name, ".zst")
}

// A damaged file is read, or causes one of our errors without a value. It never takes a disproportionate amount of
// memory.
func TestDamage(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	records := sample(400)
	want := rowsOf(records)
	all := formats(t, records)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		path := filepath.Join(t.TempDir(), name)
		seen := map[string]int{}
		for i := range damages() {
			content := damaged(all[name], i)
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			before := allocated()
			rows, err := attempt(path)
			verdict(t, fmt.Sprintf("%s, damage %d, selected", name, i), attemptSome(path))
			if used := allocated() - before; used > 100<<20 {
				t.Errorf("%s, damage %d: %d MiB were allocated for a file of %d bytes", name, i, used>>20, len(content))
			}
			seen[verdict(t, fmt.Sprintf("%s, damage %d", name, i), err)]++
			if err == nil && checksummed(name) && !equal(rows, want) {
				t.Errorf("%s, damage %d: wrong rows without an error", name, i)
			}
		}
		t.Logf("%s: %v", name, seen)
	}
}

func equal(a, b [][]any) bool {
	return slices.EqualFunc(a, b, slices.Equal[[]any])
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// attempt opens and reads a file.
func attempt(path string) ([][]any, error) {
	d, err := source.Open(context.Background(), source.Options{Files: []string{path}, CSV: sampleCSV})
	if err != nil {
		return nil, err
	}
	return readAll(d, sampleColumns...)
}

// attemptSome reads the row groups of a file that pass a filter.
func attemptSome(path string) error {
	d, err := source.Open(context.Background(), source.Options{Files: []string{path}, CSV: sampleCSV})
	if err != nil {
		return err
	}
	_, _, err = filtered(d, sampleColumns, fromTo("unit", 5, 1<<38))
	return err
}

// verdict checks an error and returns its code.
func verdict(t testing.TB, what string, err error) string {
	t.Helper()
	if err == nil {
		return "read"
	}
	var e *fault.Error
	if !errors.As(err, &e) {
		t.Fatalf("%s: not an error of this package: %v", what, err)
	}
	if e.Code == "" || e.Message == "" || e.File == "" && e.Code != fault.CodeColumn && e.Code != fault.CodeType {
		t.Errorf("%s: an incomplete error: %#v", what, e)
	}
	if strings.Contains(err.Error(), "canary") {
		t.Errorf("%s: the error holds a value: %v", what, err)
	}
	return e.Code
}
