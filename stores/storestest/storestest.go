// Package storestest starts a real S3 server for tests, behind a proxy that a test can let fail.
package storestest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dprelease/dprelease/io/store"
)

// versitygw is a real S3 server, whose objects are files of a folder.
const versitygw = "github.com/versity/versitygw/cmd/versitygw@v1.8.0"

// The credentials of the server.
const (
	AccessKey = "access-of-the-test"
	SecretKey = "hush-secret-of-the-test"
)

// serverProgram installs the server once, into the user's folder for caches.
var serverProgram = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	bin := filepath.Join(cache, "dprelease-test")
	path := filepath.Join(bin, "versitygw")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	install := exec.Command("go", "install", versitygw)
	install.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=")
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %.200s", err, out)
	}
	return path, nil
})

// Server is the S3 server behind its proxy, with a bucket of the name "bucket".
type Server struct {
	// Direct is the server's URL, around the proxy, and PID its process.
	Direct string
	PID    int
	// Requests counts those that came to the proxy.
	Requests atomic.Int64
	// Cut is how many bytes of each body pass, if it is not 0.
	Cut atomic.Int64
	// Pass passes a request on to the server.
	Pass  http.Handler
	fault atomic.Pointer[func(http.ResponseWriter, *http.Request) bool]
	proxy *httptest.Server
}

// Start starts the server until the test ends, and sets the variables by which clients find it. The test skips if the server cannot be had.
func Start(t testing.TB) *Server {
	t.Helper()
	program, err := serverProgram()
	if err != nil {
		t.Skipf("the S3 server cannot be had: %v", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := listener.Addr().String()
	_ = listener.Close()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bucket"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--port", at, "--keep-alive", "--quiet", "posix", dir)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+AccessKey, "ROOT_SECRET_KEY="+SecretKey)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", at)
		if err == nil {
			_ = c.Close()
			break
		}
		if time.Now().After(end) {
			t.Fatal("the server does not answer")
		}
	}
	s := &Server{PID: cmd.Process.Pid}
	s.proxy = httptest.NewUnstartedServer(s.handler(&url.URL{Scheme: "http", Host: at}))
	s.proxy.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.proxy.Start()
	s.Direct = "http://" + at
	t.Cleanup(s.proxy.Close)
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": AccessKey, "AWS_SECRET_ACCESS_KEY": SecretKey, "AWS_ENDPOINT_URL": s.proxy.URL, "AWS_REGION": "us-east-1",
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": filepath.Join(dir, "none"), "AWS_SHARED_CREDENTIALS_FILE": filepath.Join(dir, "none"),
	} {
		t.Setenv(name, value)
	}
	return s
}

// handler passes requests on as they are: their signatures cover the host.
func (s *Server) handler(to *url.URL) http.Handler {
	s.Pass = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = to.Scheme, to.Host, r.In.Host
		},
		ModifyResponse: func(r *http.Response) error {
			if n := s.Cut.Load(); n > 0 && r.Request.Method == http.MethodGet && r.StatusCode == http.StatusPartialContent {
				r.Body = &cutBody{r.Body, n}
			}
			return nil
		},
		ErrorLog:     log.New(io.Discard, "", 0),
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Requests.Add(1)
		if f := s.fault.Load(); f != nil && (*f)(w, r) {
			return
		}
		s.Pass.ServeHTTP(w, r)
	})
}

// cutBody ends a body with an error, so that the proxy cuts the connection.
type cutBody struct {
	io.ReadCloser
	left int64
}

func (c *cutBody) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errors.New("cut")
	}
	n, err := c.ReadCloser.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

// Fails sets what answers a request in the server's place, if it returns true; nil for nothing.
func (s *Server) Fails(f func(http.ResponseWriter, *http.Request) bool) {
	if f == nil {
		s.fault.Store(nil)
		return
	}
	s.fault.Store(&f)
}

// Writer opens an address for writing.
func Writer(t testing.TB, address string) (store.Writer, store.Address) {
	t.Helper()
	a, err := store.ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	b, err := store.Open(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b.(store.Writer), a
}

// Put writes an object.
func Put(t testing.TB, address string, content []byte) {
	t.Helper()
	w, a := Writer(t, address)
	if err := w.Put(context.Background(), a.Key, "application/octet-stream", bytes.NewReader(content), int64(len(content)), nil); err != nil {
		t.Fatalf("%s: %v", a, err)
	}
}
