package web_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/io/store/storetest"
	"github.com/dprelease/dprelease/io/store/web"
)

// serve returns a bucket of a server with TLS.
func serve(t *testing.T, h http.HandlerFunc) (store.Bucket, *httptest.Server) {
	t.Helper()
	s := httptest.NewTLSServer(h)
	t.Cleanup(s.Close)
	a, err := store.ParseAddress(s.URL + "/dir/a.csv?sig=hush")
	if err != nil {
		t.Fatal(err)
	}
	b, err := web.New(s.Client().Transport)(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return b, s
}

var content = bytes.Repeat([]byte("0123456789"), 1000)

// file serves content by Go's own file server, with an ETag, and checks the query.
func file(tag string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery != "sig=hush" || r.URL.Path != "/dir/a.csv" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, "a.csv", time.Time{}, bytes.NewReader(content))
	}
}

// changed is the last change of the file in the answers of servers that state one.
const changed = "Sun, 06 Nov 1994 08:49:37 GMT"

func TestFilesOfWebServers(t *testing.T) {
	for tag, version := range map[string]string{`"one"`: `"one"`, `W/"one"`: changed, "": changed} {
		b, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
			named, want := r.Header.Get("If-Match"), version
			// a date is no ETag, and the first request finds the version
			if version == changed || r.Header.Get("Range") == "bytes=0-0" {
				want = ""
			}
			if named != want {
				t.Errorf("a request names the version %q of %q", named, version)
			}
			w.Header().Set("Last-Modified", changed)
			file(tag)(w, r)
		})
		o, err := b.Stat(t.Context(), "dir/a.csv")
		if err != nil || o.Size != int64(len(content)) || o.Version != version {
			t.Fatal(o, err)
		}
		p := make([]byte, 25)
		if n, err := storetest.ReadAt(t.Context(), b, o, p, 3); err != nil || n != 25 || !bytes.Equal(p, content[3:28]) {
			t.Errorf("%q, %v", p, err)
		}
		if err := store.ReadFull(t.Context(), b, o, p, int64(len(content))-25); err != nil ||
			!bytes.Equal(p, content[:25][5:]) && !bytes.HasSuffix(content, p) {
			t.Errorf("%q, %v", p, err)
		}
	}
}

// wholly is a server without ranges.
func wholly(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "all of it") }

// elsewhere sends clients to another host, without TLS.
func elsewhere(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, "http://other/a.csv", http.StatusFound)
}

// Errors of servers, and the errors that they become. A file that changed is noticed whether or not the server knows
// If-Match.
func TestFaultsOfWebServers(t *testing.T) {
	var version atomic.Int64
	for name, x := range map[string]struct {
		serve http.HandlerFunc
		stat  store.Kind // if the first request fails
		read  store.Kind
		ok    bool // the first request succeeds
	}{
		"missing":      {serve: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, stat: store.NotFound},
		"denied":       {serve: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }, stat: store.Denied},
		"busy":         {serve: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, stat: store.Unavailable},
		"no ranges":    {serve: wholly, stat: store.Unsupported},
		"plain":        {serve: elsewhere, stat: store.Denied},
		"no version":   {serve: file(""), stat: store.Unsupported},
		"weak version": {serve: file(`W/"one"`), stat: store.Unsupported},
		"changed": {serve: func(w http.ResponseWriter, r *http.Request) {
			file(fmt.Sprintf(`"%d"`, version.Add(1)))(w,
				r)
		}, ok: true, read: store.Changed},
		"changed, without If-Match": {serve: func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("If-Match")
			file(fmt.Sprintf(`"%d"`, version.Add(1)))(w, r)
		}, ok: true, read: store.Changed},
		"cut": {serve: func(w http.ResponseWriter, r *http.Request) {
			if version.Add(1); r.Header.Get("Range") == "bytes=0-0" {
				file(`"one"`)(w, r)
				return
			}
			w.Header().Set("ETag", `"one"`)
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-99/%d", len(content)))
			w.Header().Set("Content-Length", "100")
			w.WriteHeader(206)
			_, _ = w.Write(content[:40])
		}, ok: true, read: store.Unavailable},
		"other range": {serve: func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") != "bytes=0-0" {
				r.Header.Set("Range", "bytes=5-104")
			}
			file(`"one"`)(w, r)
		}, ok: true, read: store.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			b, s := serve(t, x.serve)
			o, err := b.Stat(t.Context(), "dir/a.csv")
			if (err == nil) != x.ok || err != nil && store.KindOf(err) != x.stat {
				t.Fatal(err)
			}
			if x.ok {
				var n int
				if n, err = storetest.ReadAt(t.Context(), b, o, make([]byte, 100), 0); err == nil || store.KindOf(err) != x.read {
					t.Errorf("%d bytes, %v", n, err)
				}
				if name == "cut" && n != 40 {
					t.Errorf("%d bytes were kept of 40", n)
				}
			}
			if err != nil && (strings.Contains(err.Error(), "hush") ||
				strings.Contains(err.Error(), s.Listener.Addr().String())) {
				t.Errorf("the error shows the address: %v", err)
			}
		})
	}
}

// If a server redirects to another one, the other one does not see the query of the first.
// A server that cannot be reached comes with the reason, which quotes nothing.
func TestUnreachedServers(t *testing.T) {
	b, s := serve(t, func(http.ResponseWriter, *http.Request) {})
	s.Close()
	var e *store.Error
	if _, err := b.Stat(t.Context(), "dir/a.csv"); !errors.As(err, &e) || e.Kind != store.Unavailable ||
		runtime.GOOS != "windows" && e.Hint != "nothing listens at its host and port: is the address right, and the endpoint?" {
		t.Errorf("%+v", err)
	}
}

func TestRedirectsKeepTheQuery(t *testing.T) {
	var asked atomic.Int64
	target := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if got := fmt.Sprint(r.URL, r.Header); strings.Contains(got, "hush") || r.Referer() != "" {
			t.Errorf("the target was told %s", got)
		}
		if r.URL.Path == "/again" {
			http.Redirect(w, r, "/there", http.StatusFound)
			return
		}
		w.Header().Set("ETag", `"one"`)
		http.ServeContent(w, r, "a.csv", time.Time{}, bytes.NewReader(content))
	}))
	t.Cleanup(target.Close)
	b, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, target.URL+"/again", http.StatusFound)
	})
	o, err := b.Stat(t.Context(), "dir/a.csv")
	if err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 10)
	if _, err := storetest.ReadAt(t.Context(), b, o, p, 10); err != nil || !bytes.Equal(p, content[10:20]) ||
		asked.Load() != 4 {
		t.Errorf("%q, %v after %d requests", p, err, asked.Load())
	}
}

// A server with an untrusted certificate is refused at once.
func TestUnknownCertificates(t *testing.T) {
	s := httptest.NewTLSServer(file(`"one"`))
	t.Cleanup(s.Close)
	s.Config.ErrorLog = nil
	a, err := store.ParseAddress(s.URL + "/dir/a.csv?sig=hush")
	if err != nil {
		t.Fatal(err)
	}
	b, err := web.New(http.DefaultTransport)(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Stat(context.Background(), a.Key); store.KindOf(err) != store.Denied {
		t.Error(err)
	}
}
