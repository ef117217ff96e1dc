package stores

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/dprelease/dprelease/io/store"
)

// answering is a transport that records the requests and answers them with a status.
type answering struct {
	status int
	got    []*http.Request
}

func (a *answering) RoundTrip(r *http.Request) (*http.Response, error) {
	a.got = append(a.got, r)
	if a.status == 0 {
		return nil, errors.New("no network in this test")
	}
	return &http.Response{StatusCode: a.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")),
		Request: r}, nil
}

// Plain requests have the URL and the signature's region that the SDK would use, for all options. If a plain request is
// not possible, the SDK makes the request.
func TestPlainRequests(t *testing.T) {
	known := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "access", SecretAccessKey: "secret", SessionToken: "token"}, nil
	})
	for name, x := range map[string]struct {
		bucket, key string
		options     func(*s3.Options)
		url, region string // "" if the SDK makes the request
	}{
		"Amazon": {"city", "a/b.parquet", nil, "https://city.s3.eu-west-1.amazonaws.com/a/b.parquet", "eu-west-1"},
		"hive folders": {"city", "year=2024/a b+c~%2F.parquet", nil,
			"https://city.s3.eu-west-1.amazonaws.com/year%3D2024/a%20b%2Bc~%252F.parquet", "eu-west-1"},
		"a dotted name": {"city.data", "k", nil, "https://s3.eu-west-1.amazonaws.com/city.data/k", "eu-west-1"},
		"paths": {"city", "k", func(o *s3.Options) { o.UsePathStyle = true },
			"https://s3.eu-west-1.amazonaws.com/city/k", "eu-west-1"},
		"a server": {"city", "k", func(o *s3.Options) {
			o.UsePathStyle, o.BaseEndpoint = true,
				aws.String("http://host:9000/s3/")
		},
			"http://host:9000/s3/city/k", "eu-west-1"},
		"both internets": {"city", "k",
			func(o *s3.Options) { o.EndpointOptions.UseDualStackEndpoint = aws.DualStackEndpointStateEnabled },
			"https://city.s3.dualstack.eu-west-1.amazonaws.com/k", "eu-west-1"},
		"anonymous": {"city", "k", func(o *s3.Options) { o.Credentials = aws.AnonymousCredentials{} },
			"https://city.s3.eu-west-1.amazonaws.com/k", ""},
		"a session":           {"city--euw1-az1--x-s3", "k", nil, "", ""},
		"another alphabet":    {"city", "ä.parquet", nil, "", ""},
		"a control character": {"city", "a\tb", nil, "", ""},
		"two slashes":         {"city", "a//b", nil, "", ""},
		"a way up":            {"city", "a/../b", nil, "", ""},
		"a way up at an end":  {"city", "a../b", nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := s3.Options{Region: "eu-west-1", Credentials: aws.NewCredentialsCache(known)}
			if x.options != nil {
				x.options(&o)
			}
			wire := &answering{status: http.StatusPartialContent}
			o.HTTPClient = &http.Client{Transport: &answering{}}
			r := newRanges(s3.New(o), wire, x.bucket)
			answer, asked, err := r.read(t.Context(), store.Object{Key: x.key, Size: 100, Version: `"v"`}, 10, 20)
			if asked != (x.url != "") || err != nil || asked != (answer != nil) || len(wire.got) > 1 {
				t.Fatalf("asked: %t, %v", asked, err)
			}
			if !asked {
				return
			}
			q := wire.got[0]
			if q.URL.String() != x.url || q.Host != q.URL.Host || q.Header.Get("Range") != "bytes=10-29" ||
				q.Header.Get("If-Match") != `"v"` {
				t.Errorf("%s %v", q.URL, q.Header)
			}
			signed := q.Header.Get("Authorization")
			if x.region == "" && (signed != "" || q.Header.Get("X-Amz-Security-Token") != "") {
				t.Errorf("an anonymous request is signed: %s", signed)
			}
			if x.region != "" && (!strings.Contains(signed, "/"+x.region+"/s3/aws4_request") ||
				!strings.Contains(signed, "if-match;range") || q.Header.Get("X-Amz-Security-Token") != "token") {
				t.Errorf("signed by %s", signed)
			}
		})
	}
}

// Expired credentials are renewed. If there are none, the SDK makes the request and reports the error.
func TestPlainRequestsRenewCredentials(t *testing.T) {
	made := 0
	provider := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		if made++; made == 2 {
			return aws.Credentials{}, errors.New("none")
		}
		return aws.Credentials{AccessKeyID: "access" + string(rune('0'+made)), SecretAccessKey: "secret", CanExpire: true,
			Expires: time.Now().Add(-time.Second)}, nil
	})
	wire := &answering{status: http.StatusPartialContent}
	r := newRanges(s3.New(s3.Options{Region: "eu-west-1", Credentials: aws.NewCredentialsCache(provider)}), wire, "b")
	o := store.Object{Key: "k", Size: 100, Version: `"v"`}
	if _, asked, err := r.read(t.Context(), o, 0, 1); !asked || err != nil || made != 1 ||
		!strings.Contains(wire.got[0].Header.Get("Authorization"), "access1/") {
		t.Errorf("asked: %t, %v; credentials were made %d times: %v", asked, err, made, wire.got)
	}
	if _, asked, err := r.read(t.Context(), o, 0, 1); asked || err != nil {
		t.Errorf("asked without credentials: %t, %v", asked, err)
	}
	if _, asked, err := r.read(t.Context(), o, 0, 1); !asked || err != nil ||
		!strings.Contains(wire.got[1].Header.Get("Authorization"), "access3/") {
		t.Errorf("asked: %t, %v: %v", asked, err, wire.got)
	}
}

// A plain request that the store refuses is repeated through the SDK. If the store is busy, the error is temporary, so
// that the caller retries later.
func TestPlainRequestsFail(t *testing.T) {
	for status, unavailable := range map[int]bool{200: false, 301: false, 307: false, 400: false, 403: false, 404: false,
		412: false, 416: false, 429: true, 500: true, 503: true, 0: true} {
		wire := &answering{status: status}
		r := newRanges(s3.New(s3.Options{Region: "eu-west-1", Credentials: aws.AnonymousCredentials{}}), wire, "b")
		answer, asked, err := r.read(t.Context(), store.Object{Key: "k", Size: 100, Version: `"v"`}, 0, 1)
		if answer != nil || !asked || (err != nil) != unavailable || unavailable && store.KindOf(err) != store.Unavailable ||
			len(wire.got) != 1 {
			t.Errorf("%d: %v, asked: %t, %v, %d requests", status, answer, asked, err, len(wire.got))
		}
	}
}
