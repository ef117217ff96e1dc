// Package storestest starts servers of object stores for tests, behind a proxy that can simulate faults: a real S3
// server, and emulators of Google Cloud Storage and Azure.
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
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dprelease/dprelease/io/store"
)

// versitygw is a real S3 server. It stores objects as files of a folder.
const versitygw = "github.com/versity/versitygw/cmd/versitygw@v1.8.0"

// The credentials of the server.
const (
	AccessKey = "access-of-the-test"
	SecretKey = "hush-secret-of-the-test"
)

// serverProgram installs the server once, into the user's cache directory.
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

// Server is a server behind its proxy, with a bucket named "bucket".
type Server struct {
	// Scheme is the scheme of the store's URLs.
	Scheme string
	// Direct is the server's URL without the proxy, and PID its process.
	Direct string
	PID    int
	// Requests counts the requests to the proxy.
	Requests atomic.Int64
	// Cut is the number of bytes after which the proxy cuts off each body; 0 means never.
	Cut atomic.Int64
	// Pass forwards a request to the server.
	Pass  http.Handler
	fault atomic.Pointer[func(http.ResponseWriter, *http.Request) bool]
	proxy *httptest.Server
	put   func(key string, content []byte) error
}

// Put writes an object of the bucket. It also works in a process that cannot reach the server by its URL.
func (s *Server) Put(t testing.TB, key string, content []byte) {
	t.Helper()
	if err := s.put(key, content); err != nil {
		t.Fatalf("%s: %v", key, err)
	}
}

// AboutVersion reports whether a request asks for the attributes of the object with this key, among them its version.
func (s *Server) AboutVersion(r *http.Request, key string) bool {
	asks := r.Method == http.MethodHead || r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/storage/v1/b/")
	return asks && strings.HasSuffix(r.URL.Path, "/"+key)
}

// Start starts the S3 server until the test ends, and sets the variables by which clients find it. The test is skipped
// if the server cannot be installed.
func Start(t testing.TB) *Server {
	t.Helper()
	program, err := serverProgram()
	if err != nil {
		t.Skipf("the S3 server cannot be had: %v", err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bucket"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := &Server{Scheme: "s3", put: func(key string, content []byte) error { return put("s3://bucket/"+key, content) }}
	s.serve(t, func(at string) *exec.Cmd {
		cmd := exec.Command(program, "--port", at, "--keep-alive", "--quiet", "posix", dir)
		cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+AccessKey, "ROOT_SECRET_KEY="+SecretKey)
		return cmd
	})
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": AccessKey, "AWS_SECRET_ACCESS_KEY": SecretKey, "AWS_ENDPOINT_URL": s.proxy.URL,
		"AWS_REGION":                "us-east-1",
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": filepath.Join(dir,
			"none"), "AWS_SHARED_CREDENTIALS_FILE": filepath.Join(dir, "none"),
	} {
		t.Setenv(name, value)
	}
	return s
}

// serve starts the server that listens at an address, and its proxy, until the test ends.
func (s *Server) serve(t testing.TB, command func(at string) *exec.Cmd) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := listener.Addr().String()
	_ = listener.Close()
	s.proxy = httptest.NewUnstartedServer(s.handler(&url.URL{Scheme: "http", Host: at}))
	s.proxy.Config.ErrorLog = log.New(io.Discard, "", 0)
	cmd := command(at)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	for end := time.Now().Add(60 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", at)
		if err == nil {
			_ = c.Close()
			break
		}
		if time.Now().After(end) {
			t.Fatal("the server does not answer")
		}
	}
	s.PID, s.Direct = cmd.Process.Pid, "http://"+at
	s.proxy.Start()
	t.Cleanup(s.proxy.Close)
}

// handler forwards requests unchanged, since their signatures cover the host.
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

// Fails sets a function that may answer requests in place of the server: it returns true if it has answered. nil
// removes the function.
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
	w, a, err := writer(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w, a
}

func writer(address string) (store.Writer, store.Address, error) {
	a, err := store.ParseAddress(address)
	if err != nil {
		return nil, a, err
	}
	b, err := store.Open(context.Background(), a)
	if err != nil {
		return nil, a, err
	}
	return b.(store.Writer), a, nil
}

// Put writes an object.
func Put(t testing.TB, address string, content []byte) {
	t.Helper()
	if err := put(address, content); err != nil {
		a, _ := store.ParseAddress(address) // the message shows the address without its options
		t.Fatalf("%s: %v", a, err)
	}
}

func put(address string, content []byte) error {
	w, a, err := writer(address)
	if err != nil {
		return err
	}
	err = w.Put(context.Background(), a.Key, "application/octet-stream", bytes.NewReader(content), int64(len(content)),
		nil)
	return errors.Join(err, w.Close())
}
