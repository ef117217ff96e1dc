package source_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/io/store/storetest"
	"github.com/dprelease/dprelease/io/table"
)

var buckets atomic.Int64

// bucket returns a store in memory, with a scheme of its own.
func bucket(t testing.TB) (*storetest.Memory, string) {
	t.Helper()
	m := storetest.New()
	scheme := fmt.Sprintf("memory%d", buckets.Add(1))
	store.Register(scheme, m.Opener)
	return m, scheme + "://bucket/"
}

// scan returns the digests and the number of rows of all splits, which workers read at once.
func scan(t testing.TB, o source.Options, columns ...string) ([][]byte, int64, error) {
	t.Helper()
	o.CSV = sampleCSV
	d, err := source.Open(t.Context(), o)
	if err != nil {
		return nil, 0, err
	}
	defer d.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sums := make([][]byte, d.Splits())
	var rows, next atomic.Int64
	var failed atomic.Pointer[error]
	var workers sync.WaitGroup
	groups := d.NewSplitReader(nil, nil)
	for range max(1, o.Workers) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(sums); i = int(next.Add(1)) - 1 {
				sum, err := groups.Read(ctx, i, columns, func(b *table.Batch) error { rows.Add(int64(b.Rows)); return nil })
				if err != nil {
					failed.CompareAndSwap(nil, &err)
					cancel()
					return
				}
				sums[i] = sum.Digest
			}
		})
	}
	workers.Wait()
	if e := failed.Load(); e != nil {
		return nil, 0, *e
	}
	return sums, rows.Load(), nil
}

// A pattern that no object matches is named whole, without the options of its URL.
func TestNoObjectMatches(t *testing.T) {
	_, at := bucket(t)
	var e *fault.Error
	for what, find := range map[string]func(source.Options) error{
		"Exists": func(o source.Options) error { return source.Exists(t.Context(), o) },
		"Open":   func(o source.Options) error { _, _, err := scan(t, o); return err },
	} {
		err := find(source.Options{Files: []string{at + "trips/day=2024-01-01/*.csv?token=secret"}})
		if !errors.As(err, &e) || e.Code != fault.CodeNotFound || !strings.Contains(e.Message, at+"trips/day=2024-01-01/*.csv") ||
			strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Files of a store give the rows and the digests of local files, also if a fifth of the requests fails or is cut.
func TestStoresAgreeWithFiles(t *testing.T) {
	owntest.Slow(t)
	m, at := bucket(t)
	var mu sync.Mutex
	rng := rand.New(rand.NewSource(1))
	most := 300
	if long() {
		most = 4000
	}
	records := sample(most)
	for name, content := range formats(t, records) {
		t.Run(name, func(t *testing.T) {
			local := write(t, name, content)
			want, rows, err := scan(t, source.Options{Files: []string{local}, Workers: 2}, sampleColumns...)
			if err != nil || rows != int64(most) {
				t.Fatal(rows, err)
			}
			m.Set("dir/"+name, content)
			m.Before = func(_, _ string, _ int64) (int, error) {
				mu.Lock()
				defer mu.Unlock()
				if rng.Intn(5) == 0 {
					return rng.Intn(1 << 10), store.Failure(store.Unavailable, "")
				}
				return 0, nil
			}
			got, rows, err := scan(t, source.Options{Files: []string{at + "dir/" + name}, Workers: 2}, sampleColumns...)
			if err != nil || rows != int64(most) || !slices.EqualFunc(got, want, bytes.Equal) {
				t.Fatalf("%d rows, %v, the same digests: %t", rows, err, slices.EqualFunc(got, want, bytes.Equal))
			}
			d, err := source.Open(t.Context(), source.Options{Files: []string{at + "dir/" + name}, CSV: sampleCSV})
			if err != nil {
				t.Fatal(err)
			}
			same(t, rowsOf(records), read(t, d, sampleColumns...))
			if d.AheadBytes() == 0 {
				t.Error("reading ahead takes no memory")
			}
		})
	}
}

// Long texts, which are read in pieces of blocks, agree too, compressed or not.
func TestStoresAgreeOnLongTexts(t *testing.T) {
	owntest.Slow(t)
	m, at := bucket(t)
	long := text(t, sample(150_000))
	for name, content := range map[string][]byte{"a.csv": long, "a.csv.gz": gzipped(t, long),
		"a.csv.zst": zstandard(t, long)} {
		want, rows, err := scan(t, source.Options{Files: []string{write(t, name, content)}, Workers: 3}, "unit", "note")
		if err != nil {
			t.Fatal(err)
		}
		m.Set(name, content)
		got, have, err := scan(t, source.Options{Files: []string{at + name}, Workers: 3}, "unit", "note")
		if err != nil || have != rows || !slices.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("%s: %d rows of %d, %v", name, have, rows, err)
		}
	}
	if n := m.Bytes.Load(); n > 3*int64(len(long)) {
		t.Errorf("%d bytes were read of texts of %d bytes and less", n, len(long))
	}
}

// A Parquet file takes one request for the footer, and one for the requested columns of each row group if these are
// near each other.
func TestRequestsOfParquet(t *testing.T) {
	m, at := bucket(t)
	m.Set("a.parquet", parquetGo(t, sample(4000), mixed, parquet.MaxRowsPerRowGroup(1000)))
	if _, _, err := scan(t, source.Options{Files: []string{at + "a.parquet"}}, "unit", "cat"); err != nil {
		t.Fatal(err)
	}
	if n := m.Reads.Load(); n != 1+4 {
		t.Errorf("%d requests, want 5", n)
	}
	rng := rand.New(rand.NewSource(1))
	m.Set("b.parquet", pagedGo(t, rng, pagedRows(rng, 800)))
	d, err := source.Open(t.Context(), source.Options{Files: []string{at + "b.parquet"}})
	if err != nil {
		t.Fatal(err)
	}
	m.Reads.Store(0)
	groups, left := rowGroups(d, fromTo("id", 0, 3)), 0
	for split := range d.Splits() {
		if _, err := groups.Read(t.Context(), split, pagedColumns, func(*table.Batch) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if !groups.Skips(split) {
			left++
		}
	}
	if n := m.Reads.Load(); left == d.Splits() || n > int64(3*left) {
		t.Errorf("%d requests for %d of %d row groups", n, left, d.Splits())
	}
}

// An object that changes after it was opened is refused, in every format.
func TestObjectsThatChange(t *testing.T) {
	owntest.Slow(t)
	for name, content := range formats(t, sample(4000)) {
		if !strings.Contains(name, "go-v1-snappy") && !strings.HasPrefix(name, "text") && !strings.HasSuffix(name, ".arrow") {
			continue
		}
		m, at := bucket(t)
		m.Set(name, content)
		d, err := source.Open(t.Context(), source.Options{Files: []string{at + name}, CSV: sampleCSV, Workers: 2})
		if err != nil {
			t.Fatal(name, err)
		}
		changed := bytes.Clone(content)
		changed[len(changed)/2] ^= 1
		m.Set(name, changed)
		for split := range d.Splits() {
			_, err = d.Read(t.Context(), split, sampleColumns, func(*table.Batch) error { return nil })
			var e *fault.Error
			if small := len(content) <= 2<<20 && err == nil; !small &&
				(!errors.As(err, &e) || e.Code != fault.CodeChanged || e.File != name) {
				t.Errorf("%s, split %d: %v", name, split, err)
			}
		}
		_ = d.Close()
	}
}

// An answer of a store becomes an error that tells what to do, and shows no options of the URL.
func TestErrorsOfStores(t *testing.T) {
	m, at := bucket(t)
	m.Set("a.csv", []byte("x\n1\n"))
	for _, x := range []struct {
		file string
		kind store.Kind
		code string
	}{
		{at + "a.csv?token=hush", store.Denied, fault.CodeUnreadable},
		{at + "a.csv?token=hush", store.Misconfigured, fault.CodeOption},
		{at + "none.csv?token=hush", store.Unavailable, fault.CodeNotFound},
		{at + "b/*.csv?token=hush", store.Unavailable, fault.CodeNotFound},
		{"s3://bucket/a.csv?token=hush", store.Unavailable, fault.CodeOption}, // the program lacks this store
		{"ftp://bucket/a.csv?token=hush", store.Unavailable, fault.CodeOption},
		{"http://bucket/a.csv?token=hush", store.Unavailable, fault.CodeOption},
		{"https://me:hush@host/a.csv", store.Unavailable, fault.CodeOption},
		{"https://host/*.csv?token=hush", store.Unavailable, fault.CodeOption},
	} {
		m.Before = nil
		if x.kind != store.Unavailable {
			m.Before = func(string, string, int64) (int, error) { return 0, store.Failure(x.kind, "") }
		}
		_, err := source.Open(t.Context(), source.Options{Files: []string{x.file}, CSV: lines})
		var e *fault.Error
		if !errors.As(err, &e) || e.Code != x.code || e.File == "" || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", x.file, err)
		}
	}
}

// Patterns and prefixes find objects in the order of their keys, as patterns of paths do, and no object twice.
func TestPatternsOfObjects(t *testing.T) {
	m, at := bucket(t)
	dir := t.TempDir()
	for _, key := range []string{"p/b.csv", "p/a.csv", "p/._a.csv", "p/c.csv.gz", "p/q/d.csv", "p/_SUCCESS", "p/q/.hidden.csv",
		"p/.q/d.csv", "r.csv"} {
		content := []byte("x\n1\n")
		if strings.HasSuffix(key, ".gz") {
			content = gzipped(t, content)
		}
		m.Set(key, content)
		path := filepath.Join(dir, key)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for pattern, want := range map[string][]string{
		"p/*.csv": {"a.csv", "b.csv"}, "p/?.csv": {"a.csv", "b.csv"}, "p/[bc].csv*": {"b.csv",
			"c.csv.gz"}, "*/q/d.csv": {"d.csv"}, "p/*/d.csv": {"d.csv"}, "p/.*.csv": {"._a.csv"}, "p/q/.hid*": {".hidden.csv"},
	} {
		for _, base := range []string{at, dir + "/"} {
			d, err := source.Open(t.Context(), source.Options{Files: []string{base + pattern}, CSV: lines})
			if err != nil || !slices.Equal(d.Files(), want) {
				t.Errorf("%s%s: %v, %v", base, pattern, d.Files(), err)
			}
		}
	}
	d, err := source.Open(t.Context(), source.Options{Files: []string{at + "p/"}, CSV: lines})
	if err != nil || !slices.Equal(d.Files(), []string{"a.csv", "b.csv", "c.csv.gz", "d.csv"}) {
		t.Errorf("below a prefix: %v, %v", d.Files(), err)
	}
	var e *fault.Error
	if _, err := source.Open(t.Context(), source.Options{Files: []string{at + "p/", at + "p/a.csv"},
		CSV: lines}); !errors.As(err, &e) || e.Code != fault.CodeDuplicate {
		t.Errorf("an object that is named twice: %v", err)
	}
	texts, err := source.ReadStrings(t.Context(), at+"r.csv", "x")
	if err != nil || !slices.Equal(texts, []string{"1"}) {
		t.Errorf("a public file: %q, %v", texts, err)
	}
	folders := source.Options{Files: []string{at + "day=2024-01-0*/x.csv"}, CSV: lines,
		Folders: map[string]string{"day": "date"}}
	m.Set("day=2024-01-01/x.csv", []byte("x\n1\n"))
	m.Set("day=2024-01-02/x.csv", []byte("x\n1\n"))
	if d, err = source.Open(t.Context(), folders); err != nil || len(d.Files()) != 2 || len(d.Schema().Fields) != 2 {
		t.Errorf("columns in the names of folders: %v", err)
	}
}

// A stop while the first bytes of an object are fetched is no fault of the object.
func TestStoppedAtTheFirstBytes(t *testing.T) {
	_, address := bucket(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := source.OpenAddress(ctx, address+"none.csv", 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}
