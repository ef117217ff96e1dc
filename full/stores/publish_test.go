package stores_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dprelease/dprelease/full/stores/storestest"
	"github.com/dprelease/dprelease/io/store"
)

// finishedRelease makes a release. It returns its folder and the number of its files.
func finishedRelease(t *testing.T) (dir string, count int) {
	t.Helper()
	at := t.TempDir()
	if err := errors.Join(os.Chmod(at, 0o755), os.WriteFile(filepath.Join(at, "job.yaml"), []byte(job),
		0o600)); err != nil {
		t.Fatal(err)
	}
	storestest.Put(t, "s3://bucket/t.parquet", storestest.Tables(t, 1000)["t.parquet"])
	storestest.Put(t, "s3://bucket/cats.csv", []byte("cat\ncat 1\ncat 2\ncat 3\n"))
	if code, out := release(t, "run", filepath.Join(at, "job.yaml")); code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	dir = filepath.Join(at, "out")
	for _, entry := range must(os.ReadDir(dir)) {
		if !strings.HasPrefix(entry.Name(), ".") {
			count++
		}
	}
	return dir, count
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A copy that is killed at any of its uploads leaves no manifest, unless all files that the manifest names are there.
// The same command finishes the copy, and sends no uploaded file again.
func TestPublishKilled(t *testing.T) {
	s := storestest.Start(t)
	dir, count := finishedRelease(t)
	for nth := 1; nth <= count; nth++ {
		prefix := "killed/" + string(rune('a'+nth)) + "/"
		cmd := exec.Command(os.Args[0], "publish", dir, "s3://bucket/"+prefix)
		cmd.Env = append(os.Environ(), asRelease+"=1")
		var puts atomic.Int64
		var kill sync.Once
		s.Fails(func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPut && puts.Add(1) == int64(nth) {
				kill.Do(func() { _ = cmd.Process.Kill() })
			}
			return false
		})
		_ = cmd.Run() // the kill makes it fail
		s.Fails(nil)
		w, _ := storestest.Writer(t, "s3://bucket/")
		there := 0
		if err := w.List(t.Context(), prefix, func(store.Object) error { there++; return nil }); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Stat(t.Context(), prefix+"release.json"); err == nil && there < count {
			t.Errorf("killed at upload %d: the manifest is there with %d of %d files", nth, there, count)
		}
		if code, out := release(t, "publish", dir, "s3://bucket/"+prefix); code != 0 {
			t.Errorf("killed at upload %d, then: exit code %d: %s", nth, code, out)
		}
		if code, out := release(t, "publish", dir, "s3://bucket/"+prefix); code != 0 ||
			!strings.Contains(out, "0 files sent") {
			t.Errorf("killed at upload %d, then twice: exit code %d: %s", nth, code, out)
		}
	}
}

// While publish replaces a release, the store executes one write or removal, but the connection is cut before its
// answer. The replacement succeeds for each request: the program finds its own bytes in the store.
func TestPublishAnswersLost(t *testing.T) {
	s := storestest.Start(t)
	first, _ := finishedRelease(t)
	second, count := finishedRelease(t)
	for nth, lost := int64(1), true; lost; nth++ {
		prefix := "lost/" + string(rune('a'+nth)) + "/"
		if code, out := release(t, "publish", first, "s3://bucket/"+prefix); code != 0 {
			t.Fatalf("exit code %d: %s", code, out)
		}
		var writes atomic.Int64
		s.Fails(func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodGet || r.Method == http.MethodHead || writes.Add(1) != nth {
				return false
			}
			s.Pass.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		})
		code, out := release(t, "publish", second, "s3://bucket/"+prefix, "--replace")
		s.Fails(nil)
		if code != 0 {
			t.Errorf("the answer to request %d was lost: exit code %d: %s", nth, code, out)
		}
		if code, out := release(t, "publish", second, "s3://bucket/"+prefix); code != 0 ||
			!strings.Contains(out, "0 files sent") {
			t.Errorf("the answer to request %d was lost, then: exit code %d: %s", nth, code, out)
		}
		w, _ := storestest.Writer(t, "s3://bucket/")
		there := 0
		if err := w.List(t.Context(), prefix, func(store.Object) error { there++; return nil }); err != nil ||
			there != count {
			t.Errorf("the answer to request %d was lost: %d objects, %v", nth, there, err)
		}
		lost = writes.Load() >= nth
	}
}
