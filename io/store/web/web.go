// Package web reads files on web servers, https://host/path, by range requests. Call Register once.
//
// The server must answer range requests and state a strong ETag or a date of the last change, as web servers do for
// files. Redirects are followed only to https.
package web

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/dprelease/dprelease/io/store"
)

// Register registers the scheme https.
func Register() { store.Register("https", New(http.DefaultTransport)) }

// idle is the number of unused connections that are kept open for each server.
const idle = 64

// New returns an opener of web servers that uses the transport. If it is a *http.Transport, New uses a copy that keeps
// connections and does not decompress.
func New(transport http.RoundTripper) store.Opener {
	if t, ok := transport.(*http.Transport); ok {
		t = t.Clone()
		t.DisableCompression, t.MaxIdleConnsPerHost = true, idle
		t.ResponseHeaderTimeout = time.Minute
		transport = t
	}
	client := &http.Client{Transport: transport, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if r.URL.Scheme != "https" || len(via) >= 10 {
			return errRedirect
		}
		r.Header.Del("Referer") // Referer would reveal the query string of the previous URL, which may be a signature
		return nil
	}}
	return func(_ context.Context, a store.Address) (store.Bucket, error) {
		return &server{client: client, host: a.Bucket, options: a.Options}, nil
	}
}

var errRedirect = errors.New("redirected to a place that is not https")

// server is a web server as a store.Bucket, with the query string of the URL that was opened.
type server struct {
	client        *http.Client
	host, options string
}

func (s *server) Close() error { return nil }

func (s *server) List(context.Context, string, func(store.Object) error) error {
	return store.Failure(store.Unsupported, "files on a web server cannot be listed: name each")
}

// Stat returns the size and version of a file. It requests one byte, since signed URLs often allow only GET.
func (s *server) Stat(ctx context.Context, key string) (store.Object, error) {
	r, err := s.get(ctx, key, 0, 1, "")
	if err != nil {
		return store.Object{}, err
	}
	defer r.Body.Close()
	o := store.Object{Key: key, Version: version(r.Header)}
	var total string
	switch r.StatusCode {
	case http.StatusPartialContent:
		_, total, _ = strings.Cut(r.Header.Get("Content-Range"), "/")
	case http.StatusRequestedRangeNotSatisfiable: // the file is empty
		if total = strings.TrimPrefix(r.Header.Get("Content-Range"), "bytes */"); total != "0" {
			return o, store.Failure(store.Unavailable, "")
		}
	case http.StatusOK:
		return o, store.Failure(store.Unsupported,
			"the server does not send parts of files: download the file, and name the copy")
	default:
		return o, failure(r.StatusCode)
	}
	if o.Size, err = strconv.ParseInt(total, 10, 64); err != nil || o.Size < 0 {
		return o, store.Failure(store.Unsupported,
			"the server does not say how long the file is: download the file, and name the copy")
	}
	if o.Version == "" {
		return o, store.Failure(store.Unsupported, "the server states neither a strong ETag nor when the file was changed, "+
			"so a change would not be seen: download the file, and name the copy")
	}
	return o, nil
}

func (s *server) Read(ctx context.Context, o store.Object, at, size int64) (io.ReadCloser, error) {
	r, err := s.get(ctx, o.Key, at, size, o.Version)
	if err != nil {
		return nil, err
	}
	switch want := "bytes " + bounds(at, size) + "/" + strconv.FormatInt(o.Size, 10); {
	case r.StatusCode == http.StatusPreconditionFailed:
		err = store.Failure(store.Changed, "")
	case r.StatusCode != http.StatusPartialContent && r.StatusCode != http.StatusOK:
		err = failure(r.StatusCode)
	case version(r.Header) != o.Version:
		err = store.Failure(store.Changed, "")
	case r.StatusCode == http.StatusOK || r.Header.Get("Content-Range") != want || r.Header.Get("Content-Encoding") != "":
		err = store.Failure(store.Unavailable, "")
	}
	if err != nil {
		_ = r.Body.Close()
		return nil, err
	}
	return r.Body, nil
}

func bounds(at, size int64) string {
	return strconv.FormatInt(at, 10) + "-" + strconv.FormatInt(at+size-1, 10)
}

// get requests size bytes of a file from offset at on. If version is not "", the file must have this version.
func (s *server) get(ctx context.Context, key string, at, size int64, version string) (*http.Response, error) {
	u, err := url.Parse("https://" + s.host + "/" + key)
	if err != nil {
		return nil, store.Failure(store.Misconfigured, "")
	}
	u.RawQuery = s.options
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, store.Failure(store.Misconfigured, "")
	}
	request.Header.Set("Range", "bytes="+bounds(at, size))
	request.Header.Set("Accept-Encoding", "identity")
	if strings.HasPrefix(version, `"`) { // an ETag; otherwise it is a date
		request.Header.Set("If-Match", version)
	}
	r, err := s.client.Do(request)
	switch {
	case err == nil:
		return r, nil
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return nil, store.Failure(store.Denied, "the server's certificate is not trusted: is it the right server? an "+
			"authority of your own is named with SSL_CERT_FILE")
	case errors.Is(err, errRedirect):
		return nil, store.Failure(store.Denied, "the server sends the reader to a place that is not https")
	}
	return nil, store.Unanswered(err)
}

// version returns the version of a file's contents: a strong ETag or a date. A weak ETag does not identify contents,
// since other bytes may have the same one.
func version(h http.Header) string {
	if tag := h.Get("ETag"); strings.HasPrefix(tag, `"`) {
		return tag
	}
	return h.Get("Last-Modified")
}

// failure returns the error of a status code.
func failure(status int) error {
	switch {
	case status == http.StatusNotFound || status == http.StatusGone:
		return store.Failure(store.NotFound, "")
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return store.Failure(store.Denied, "is the address signed, and its signature expired?")
	case status == http.StatusRequestTimeout || status == http.StatusTooManyRequests ||
		status >= http.StatusInternalServerError:
		return store.Failure(store.Unavailable, "")
	}
	return store.Failure(store.Unsupported, "the server answers with an unusual status")
}
