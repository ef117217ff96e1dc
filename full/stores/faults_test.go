package stores_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dprelease/dprelease/full/stores/storestest"
	"github.com/dprelease/dprelease/io/store"
)

// refusal answers as S3 does.
func refusal(w http.ResponseWriter, status int, code string) bool {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code><Message>hush-text of the "+
		"store</Message><RequestId>hush-id</RequestId></Error>", code)
	return true
}

// From the third read of the table on, the store has a fault. The run ends with an error that quotes neither the
// store's text nor a credential, and there is no release and no charge. When the store works again, the same job makes
// its release with one charge, and a repeated run returns the same bytes.
func TestRunsWithFaults(t *testing.T) {
	s := storestest.Start(t)
	content := storestest.Tables(t, 60_000)["t.parquet"]
	storestest.Put(t, "s3://bucket/cats.csv", []byte("cat\ncat 1\ncat 2\ncat 3\n"))
	storestest.Put(t, "s3://bucket/t.parquet", content)
	w, a := storestest.Writer(t, "s3://bucket/t.parquet")
	o, err := w.Stat(t.Context(), a.Key)
	if err != nil {
		t.Fatal(err)
	}
	var strayed atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		strayed.Store(strayed.Load() || r.Header.Get("Authorization") != "" || r.Header.Get("X-Amz-Security-Token") != "")
		wholly(content, o.Version, "", 200)(w, r)
	}))
	defer other.Close()
	otherHost := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	for name, x := range map[string]struct {
		fault func(http.ResponseWriter, *http.Request) bool
		want  string
	}{
		"expired": {func(w http.ResponseWriter, _ *http.Request) bool { return refusal(w, 400, "ExpiredToken") },
			"expired"},
		"denied": {func(w http.ResponseWriter, _ *http.Request) bool { return refusal(w, 403, "AccessDenied") },
			"credentials"},
		"removed": {func(w http.ResponseWriter, _ *http.Request) bool { return refusal(w, 404, "NoSuchKey") },
			"no such object"},
		"changed": {func(w http.ResponseWriter, _ *http.Request) bool { return refusal(w, 412, "PreconditionFailed") },
			"changed"},
		"shorter": {func(w http.ResponseWriter, _ *http.Request) bool { return refusal(w, 416, "InvalidRange") },
			"changed"},
		"another ETag":  {wholly(content, `"other"`, "", 206), "changed"},
		"the whole":     {wholly(content, o.Version, "", 200), "ranges"},
		"another range": {wholly(content, o.Version, fmt.Sprintf("bytes 7-%d/%d", o.Size-1, o.Size), 206), "ranges"},
		"another region": {func(w http.ResponseWriter, _ *http.Request) bool {
			return refusal(w, 301, "PermanentRedirect")
		}, "region"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, otherHost+r.URL.Path, http.StatusTemporaryRedirect)
			return true
		}, ""},
	} {
		t.Run(name, func(t *testing.T) { runWith(t, s, x.fault, x.want) })
	}
	if strayed.Load() {
		t.Error("a server to which the store sends the reader gets the credentials")
	}
	if _, err := w.Stat(t.Context(), "none"); store.KindOf(err) != store.NotFound {
		t.Error(err)
	}
}

// runWith runs the job while the store has a fault, and twice when the store works again.
func runWith(t *testing.T, s *storestest.Server, fault func(http.ResponseWriter, *http.Request) bool, want string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "job.yaml")
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(path, []byte(job), 0o600)); err != nil {
		t.Fatal(err)
	}
	var reads atomic.Int64
	s.Fails(func(w http.ResponseWriter, r *http.Request) bool {
		return r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/t.parquet") && reads.Add(1) > 2 && fault(w, r)
	})
	code, out := release(t, "run", path)
	s.Fails(nil)
	if code != 3 || !strings.Contains(out, want) || !strings.Contains(out, "t.parquet") || strings.Contains(out, "hush") ||
		strings.Contains(out, "localhost") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "out", "release.json")); err == nil {
		t.Error("there is a release")
	}
	var before string
	for range 2 {
		if code, out := release(t, "run", path); code != 0 {
			t.Fatalf("when the store is well: exit code %d: %s", code, out)
		}
		table, err := os.ReadFile(filepath.Join(dir, "out", "cats.csv"))
		if err != nil || before != "" && string(table) != before {
			t.Errorf("another run has other bytes: %v", err)
		}
		before = string(table)
	}
	noCredentials(t, dir)
}

// Parts of objects are read by plain requests, for keys of any characters. If the store refuses a plain request and
// accepts the SDK's request, all later requests go through the SDK.
func TestS3PlainRequests(t *testing.T) {
	s := storestest.Start(t)
	var plain, others atomic.Int64
	status := 0
	s.Fails(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || r.Header.Get("Range") == "" {
			return false
		}
		if r.UserAgent() != "dprelease" {
			others.Add(1)
			return false
		}
		plain.Add(1)
		return status != 0 && refusal(w, status, "AccessDenied")
	})
	w, _ := storestest.Writer(t, "s3://bucket/")
	read := func(key string, wantPlain, wantOthers int64) {
		t.Helper()
		plain.Store(0)
		others.Store(0)
		content := []byte("of " + key)
		if err := w.Put(t.Context(), key, "text/plain", bytes.NewReader(content), int64(len(content)), nil); err != nil {
			t.Fatal(err)
		}
		o, err := w.Stat(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		p := make([]byte, len(content)-1)
		if err := store.ReadFull(t.Context(), w, o, p, 1); err != nil || !bytes.Equal(p, content[1:]) ||
			plain.Load() != wantPlain || others.Load() != wantOthers {
			t.Errorf("%s: %q, %v; %d plain requests and %d others", key, p, err, plain.Load(), others.Load())
		}
	}
	read("a/b.parquet", 1, 0)
	read("a/year=2024/b c+d&e~f%2F!'()*;:@$,?#[].parquet", 1, 0)
	read("ä.parquet", 0, 1)
	status = http.StatusForbidden
	read("a/b.parquet", 1, 1)
	read("a/b.parquet", 0, 1)
}
