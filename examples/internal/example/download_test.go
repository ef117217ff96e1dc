//go:build check

package example

import (
	"archive/zip"
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func zipped(t *testing.T, name, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	f, err := archive.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// served returns the small example with an archive URL of a server on this machine.
func served(t *testing.T, answer http.HandlerFunc) (Example, string) {
	t.Helper()
	t.Setenv("DPRELEASE_DATA", "")
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	e, dir := small(t)
	e.Archive = &Archive{URL: server.URL, MaxBytes: 4096, Timeout: 5 * time.Second}
	return e, dir
}

func TestDownload(t *testing.T) {
	e, dir := served(t, func(w http.ResponseWriter, _ *http.Request) {
		_,
			_ = w.Write(zipped(t, "table.txt", originalText))
	})
	if out := prepare(t, e, dir); !strings.HasSuffix(out, "data: public original, from download (1 rows)\n") {
		t.Error(out)
	}
	holds(t, dir, originalText)
}

// Whatever a server answers, a table is accepted only if it is the known original.
func TestDownloadRefuses(t *testing.T) {
	for reason, content := range map[string][]byte{
		"not a ZIP archive":           []byte("<html>"),
		"holds no table.txt":          zipped(t, "other.txt", originalText),
		"not the known original":      zipped(t, "table.txt", "a,b\n3,4\n"),
		"more than 4096 bytes":        make([]byte, 5000),
		"more than 4096 bytes, again": zipped(t, "table.txt", strings.Repeat("a", 100000)),
	} {
		t.Run(reason, func(t *testing.T) {
			e, dir := served(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) })
			want := strings.TrimSuffix(reason, ", again")
			if out := prepare(t, e, dir); !strings.Contains(out, want) || !strings.Contains(out, "data: SYNTHETIC") {
				t.Error(out)
			}
			holds(t, dir, "a,b\n")
		})
	}
}

func TestDownloadFails(t *testing.T) {
	e, dir := served(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
	if out := prepare(t, e, dir); !strings.Contains(out, "the server answers 404") ||
		!strings.Contains(out, "data: SYNTHETIC") {
		t.Error(out)
	}
	stop := make(chan struct{})
	slow, dir := served(t, func(http.ResponseWriter, *http.Request) { <-stop })
	defer close(stop)
	slow.Archive.Timeout = 50 * time.Millisecond
	if out := prepare(t, slow, dir); !strings.Contains(out, "data: not from download") ||
		!strings.Contains(out, "data: SYNTHETIC") {
		t.Error(out)
	}
}
