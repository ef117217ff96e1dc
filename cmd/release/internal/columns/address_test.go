package columns_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/dprelease/dprelease/cmd/release/internal/columns"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/io/store/storetest"
)

// A table in a store is described like its copy on this machine, compressed or not. Only the beginning of a long one is
// read.
func TestLookAtAddresses(t *testing.T) {
	m := storetest.New()
	store.Register("memory", m.Opener)
	text := []byte(library(";"))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(text); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"t.csv": text, "t.csv.gz": packed.Bytes(), "table": text} {
		local := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(local, content, 0o600); err != nil {
			t.Fatal(err)
		}
		m.Set("dir/"+name, content)
		want, err := columns.OpenTable(t.Context(), local)
		if err != nil {
			t.Fatal(err)
		}
		got, err := columns.OpenTable(t.Context(), "memory://bucket/dir/"+name+"?token=hush")
		if err != nil || !slices.Equal(got.Names, want.Names) || !slices.Equal(got.Types, want.Types) ||
			got.Compression != want.Compression {
			t.Fatalf("%s: %+v, %v", name, got, err)
		}
		seen, err := got.ReadValues(t.Context(), 2)
		if err != nil || seen[1].Rows != 400 || seen[1].Distinct != 2 {
			t.Errorf("%s: %+v, %v", name, seen, err)
		}
	}
	m.Set("long.csv", bytes.Repeat([]byte("a,b\n1,2\n"), 2<<20))
	m.Bytes.Store(0)
	if _, err := columns.OpenTable(t.Context(), "memory://bucket/long.csv"); err != nil ||
		m.Bytes.Load() > columns.MostBytes {
		t.Errorf("%d bytes were read: %v", m.Bytes.Load(), err)
	}
	for kind, want := range map[store.Kind]string{store.NotFound: "no such object", store.Denied: "refuses access"} {
		m.Before = func(string, string, int64) (int, error) { return 0, store.Failure(kind, "") }
		var out bytes.Buffer
		cmd := columns.Command(console.New(&out, &out))
		cmd.SetArgs([]string{"memory://bucket/dir/t.csv?token=hush"})
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		err := cmd.ExecuteContext(t.Context())
		var shown string
		for e := err; e != nil; e = errors.Unwrap(e) {
			shown += e.Error() + "\n"
		}
		if err == nil || !strings.Contains(shown, "t.csv") || strings.Contains(shown, "hush") ||
			!strings.Contains(shown, want) {
			t.Errorf("kind %d: %s", kind, shown)
		}
	}
}
