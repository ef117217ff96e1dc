package stores_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dprelease/dprelease/full/stores/storestest"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/io/store/storetest"
	"github.com/dprelease/dprelease/io/table"
)

func options(file string) source.Options {
	return source.Options{
		Files: []string{file}, Workers: 2, CSV: textfile.CSV{Header: true,
			Types: map[string]string{"unit": "int", "value": "float"}},
		JSONL: textfile.JSONL{Columns: map[string]string{"unit": "int", "cat": "text", "value": "float"}},
	}
}

// answers reads a table with two workers. It returns the digests and, for each split, the sums, which do not depend on
// the order of rows.
func answers(ctx context.Context, o source.Options) (digests [][]byte, exact string, err error) {
	d, err := source.Open(ctx, o)
	if err != nil {
		return nil, "", err
	}
	defer d.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	digests = make([][]byte, d.Splits())
	var mu sync.Mutex
	sums := map[string]float64{}
	next := 0
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1
	}
	filter := d.NewSplitReader(nil, nil)
	var workers sync.WaitGroup
	for range o.Workers {
		workers.Go(func() {
			for i := take(); i < len(digests); i = take() {
				s, err := filter.Read(ctx, i, []string{"cat", "value"}, func(b *table.Batch) error {
					mu.Lock()
					defer mu.Unlock()
					for r := range b.Rows {
						sums[source.Text(&b.Columns[0], b.Columns[0].Index(r))] += b.Columns[1].Values.Floats[b.Columns[1].Index(r)]
					}
					return nil
				})
				if err != nil {
					cancel(err)
					return
				}
				digests[i] = s.Digest
			}
		})
	}
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, "", err
	}
	return digests, fmt.Sprint(sums), nil
}

// Every file format gives the digests and sums of a local file, whether the server works, is slow, refuses every third
// request, cuts bodies or cuts connections.
func TestS3AgreesWithFiles(t *testing.T) {
	s := storestest.Start(t)
	dir := t.TempDir()
	var mu sync.Mutex
	count := 0
	third := func(f func(http.ResponseWriter, *http.Request)) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			mu.Lock()
			count++
			hit := count%3 == 0
			mu.Unlock()
			if hit {
				f(w, r)
			}
			return hit
		}
	}
	for name, content := range storestest.Tables(t, 60_000) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		want, exact, err := answers(t.Context(), options(path))
		if err != nil {
			t.Fatal(err)
		}
		storestest.Put(t, "s3://bucket/dir/"+name, content)
		for fault, set := range map[string]func(){
			"none": func() {},
			"slow": func() {
				s.Fails(func(http.ResponseWriter, *http.Request) bool { time.Sleep(30 * time.Millisecond); return false })
			},
			"busy": func() {
				s.Fails(third(func(w http.ResponseWriter,
					_ *http.Request) {
					w.WriteHeader(503)
				}))
			},
			"cut bodies": func() { s.Cut.Store(int64(len(content)/3 + 1)) },
			"cut connections": func() {
				s.Fails(third(func(http.ResponseWriter,
					*http.Request) {
					panic(http.ErrAbortHandler)
				}))
			},
			"internal error once": func() {
				s.Fails(third(func(w http.ResponseWriter,
					_ *http.Request) {
					w.WriteHeader(500)
				}))
			},
		} {
			set()
			got, sums, err := answers(t.Context(), options("s3://bucket/d*/"+name))
			s.Fails(nil)
			s.Cut.Store(0)
			if err != nil || sums != exact || !slices.EqualFunc(got, want, bytes.Equal) {
				t.Errorf("%s, %s: %v; the same sums: %t", name, fault, err, sums == exact)
			}
		}
	}
}

// If a filter leaves one row group of ten, there are few requests: one for the list or the object's attributes, and
// those for the footer and this row group.
func TestS3Requests(t *testing.T) {
	s := storestest.Start(t)
	storestest.Put(t, "s3://bucket/t.parquet", storestest.Tables(t, 100_000)["t.parquet"])
	s.Requests.Store(0)
	d, err := source.Open(t.Context(), options("s3://bucket/t.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	filter := d.NewSplitReader([]string{"unit"}, func(_ int, b table.Bounds) bool { return b.Min > 9_000 })
	rows := 0
	for i := range d.Splits() {
		if _, err := filter.Read(t.Context(), i, []string{"cat", "unit"},
			func(b *table.Batch) error { rows += b.Rows; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.Requests.Load(); rows != 10_000 || n > 5 {
		t.Errorf("%d requests for %d rows, want at most 5 for 10,000", n, rows)
	}
}

// If a store refuses a request, the error shows neither credentials nor the store's text. An object that is replaced
// while it is read is refused.
func TestS3Faults(t *testing.T) {
	s := storestest.Start(t)
	content := storestest.Tables(t, 60_000)
	storestest.Put(t, "s3://bucket/t.csv", content["t.csv"])
	storestest.Put(t, "s3://bucket/t.parquet", content["t.parquet"])
	check := func(what string, err error, code string) {
		t.Helper()
		var e *fault.Error
		if !errors.As(err, &e) || e.Code != code {
			t.Errorf("%s: %v, want %s", what, err, code)
			return
		}
		for _, secret := range []string{storestest.AccessKey, storestest.SecretKey, "127.0.0.1", "Signature", "us-east-1",
			"RequestId", "hush"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: the error shows %s: %v", what, secret, err)
			}
		}
	}
	_, _, err := answers(t.Context(), options("s3://bucket/none.csv"))
	check("no object", err, fault.CodeNotFound)
	_, _, err = answers(t.Context(), options("s3://none/t.csv"))
	check("no bucket", err, fault.CodeNotFound)
	_, _, err = answers(t.Context(), options("s3://bucket/x*.csv"))
	check("no match", err, fault.CodeNotFound)
	_, _, err = answers(t.Context(), options("s3://bucket/t.csv?unknown=hush"))
	check("an unknown option", err, fault.CodeOption)
	s.Fails(func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(403); return true })
	_, _, err = answers(t.Context(), options("s3://bucket/t.csv"))
	check("403", err, fault.CodeUnreadable)
	s.Fails(nil)
	for _, name := range []string{"t.csv", "t.parquet"} {
		d, err := source.Open(t.Context(), options("s3://bucket/"+name))
		if err != nil {
			t.Fatal(err)
		}
		storestest.Put(t, "s3://bucket/"+name, bytes.ToUpper(content[name]))
		_, err = d.Read(t.Context(), d.Splits()-1, []string{"cat"}, func(*table.Batch) error { return nil })
		if name == "t.parquet" {
			check("changed "+name, err, fault.CodeChanged)
		} else if err == nil { // no error if the program had read all of the file when it was opened
			_, err = d.Digest(t.Context(), 0, nil)
			if err != nil {
				check("changed "+name, err, fault.CodeChanged)
			}
		}
		_ = d.Close()
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hush-other")
	_, _, err = answers(t.Context(), options("s3://bucket/t.csv"))
	check("a wrong key", err, fault.CodeUnreadable)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	_, _, err = answers(t.Context(), options("s3://bucket/t.csv"))
	check("no credentials", err, fault.CodeUnreadable)
}

// Each read and each removal names the version that was found, both in plain requests and in the SDK's. An object
// without a version is not read.
func TestS3RequestsNameTheVersion(t *testing.T) {
	s := storestest.Start(t)
	for _, key := range []string{"t.csv", "ü.csv"} { // plain requests read the first one, the SDK the second
		s.Fails(nil)
		s.Put(t, key, []byte("a\n1\n2\n"))
		w, a := storestest.Writer(t, "s3://bucket/"+key)
		o, err := w.Stat(t.Context(), a.Key)
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		named := map[string]string{}
		s.Fails(func(_ http.ResponseWriter, r *http.Request) bool {
			mu.Lock()
			defer mu.Unlock()
			named[r.Method] = r.Header.Get("If-Match")
			return false
		})
		_, err = storetest.ReadAt(t.Context(), w, o, make([]byte, 3), 2)
		if err := errors.Join(err, w.Delete(t.Context(), o)); err != nil {
			t.Fatal(err)
		}
		for _, method := range []string{http.MethodGet, http.MethodDelete} {
			if named[method] != o.Version || o.Version == "" {
				t.Errorf("%s of %s names the version %q, want %q", method, key, named[method], o.Version)
			}
		}
		s.Fails(nil)
		s.Put(t, key, []byte("a\n3\n"))
		s.Fails(func(w http.ResponseWriter, r *http.Request) bool { // some servers ignore the condition on the version
			if r.Method == http.MethodDelete {
				w.WriteHeader(http.StatusNoContent)
			}
			return r.Method == http.MethodDelete
		})
		if err := w.Delete(t.Context(), o); store.KindOf(err) != store.Changed {
			t.Errorf("another version was removed: %v", err)
		}
		s.Fails(func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Length", "6")
			w.WriteHeader(http.StatusOK)
			return true
		})
		if _, err := w.Stat(t.Context(), a.Key); store.KindOf(err) != store.Unsupported {
			t.Errorf("an object without a version: %v", err)
		}
	}
}

// A server or gateway that ignores ranges is refused: it would return the object's first bytes instead of the requested
// ones. If an answer holds the whole object, its bytes are used only if the request began at the first byte.
func TestS3Ranges(t *testing.T) {
	s := storestest.Start(t)
	content := storestest.Tables(t, 60_000)["t.parquet"]
	storestest.Put(t, "s3://bucket/t.parquet", content)
	w, a := storestest.Writer(t, "s3://bucket/t.parquet")
	o, err := w.Stat(t.Context(), a.Key)
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		header string // Content-Range
		status int
		at     int64
		ok     bool
	}{
		"the whole object":                     {"", 200, 1000, false},
		"the whole object, from the beginning": {"", 200, 0, true},
		"another part":                         {fmt.Sprintf("bytes 0-%d/%d", o.Size-1, o.Size), 206, 1000, false},
		"no part":                              {"items 1000-1009", 206, 1000, false},
	} {
		s.Fails(wholly(content, o.Version, x.header, x.status))
		p := make([]byte, 10)
		n, err := storetest.ReadAt(t.Context(), w, o, p, x.at)
		if x.ok && (err != nil || !bytes.Equal(p, content[x.at:x.at+10])) || !x.ok &&
			(n != 0 || store.KindOf(err) != store.Unsupported) {
			t.Errorf("%s: %q, %d bytes, %v", name, p, n, err)
		}
	}
	s.Fails(wholly(content, o.Version, "", 200))
	if _, _, err = answers(t.Context(), options("s3://bucket/t.parquet")); err == nil {
		t.Error("a table is read though every answer is the wrong part")
	}
	s.Fails(nil)
	p := make([]byte, 10)
	if _, err := storetest.ReadAt(t.Context(), w, o, p, 1000); err != nil || !bytes.Equal(p, content[1000:1010]) {
		t.Errorf("%q, %v", p, err)
	}
}

// wholly answers every request for a part with the whole content.
func wholly(content []byte, version, contentRange string, status int) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || r.Header.Get("Range") == "" {
			return false
		}
		w.Header().Set("ETag", version)
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		if contentRange != "" {
			w.Header().Set("Content-Range", contentRange)
		}
		w.WriteHeader(status)
		_, _ = w.Write(content)
		return true
	}
}
