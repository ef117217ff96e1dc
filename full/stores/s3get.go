package stores

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/encoding/httpbinding"

	"github.com/dprelease/dprelease/io/store"
)

// ranges reads each part of an object by one plain request: a GET with a range and a version, signed by the SDK's
// signer. The SDK's own operation takes about twice the CPU time, because it builds about thirty layers for each
// request and decodes all fields of an answer.
//
// The SDK does everything else. It finds credentials and renews them. prepare takes the URL, the region and the kind of
// signature from a URL that the SDK has signed; if a plain request cannot use these, all requests go through the SDK.
// If the answer is not the requested part, it is discarded and the SDK makes the request again, because its errors
// explain the failure. If the SDK succeeds then, all later requests go through it.
type ranges struct {
	client      *s3.Client
	transport   http.RoundTripper       // the transport follows no redirects, so no other host gets a signature
	credentials aws.CredentialsProvider // nil if requests are anonymous
	bucket      string
	learn       sync.Once
	base        *url.URL // the URL of the bucket; its path ends with a slash
	region      string   // the region of the signature; empty if requests are not signed
	off         atomic.Bool
}

// emptyHash is the SHA-256 of a request without a body.
const emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// newRanges returns the plain requests of a bucket.
func newRanges(client *s3.Client, transport http.RoundTripper, bucket string) *ranges {
	return &ranges{client: client, transport: transport, credentials: client.Options().Credentials, bucket: bucket}
}

// prepare finds the URL of the bucket and the kind of signature. It reads them from a presigned URL, which the SDK
// makes without a request.
func (r *ranges) prepare(ctx context.Context) {
	r.off.Store(true)
	if strings.HasSuffix(r.bucket, "--x-s3") { // directory buckets of S3 Express need sessions
		return
	}
	const key = "dprelease"
	// The SDK signs no URL without credentials, so these are made up.
	anybody := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "anybody", SecretAccessKey: "none"}, nil
	})
	signed, err := s3.NewPresignClient(r.client, func(o *s3.PresignOptions) {
		o.ClientOptions = append(o.ClientOptions, func(o *s3.Options) { o.Credentials = anybody })
	}).PresignGetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(r.bucket), Key: aws.String(key)})
	if err != nil {
		return
	}
	u, err := url.Parse(signed.URL)
	if err != nil || u.User != nil || !strings.HasSuffix(u.EscapedPath(), "/"+key) {
		return
	}
	q := u.Query()
	for name := range q {
		if !slices.Contains(plainParameters, name) {
			return
		}
	}
	scope := strings.Split(q.Get("X-Amz-Credential"), "/") // key/date/region/s3/aws4_request
	if q.Get("X-Amz-Algorithm") != "AWS4-HMAC-SHA256" || len(scope) != 5 || scope[3] != "s3" ||
		scope[4] != "aws4_request" {
		return
	}
	if r.credentials != nil {
		r.region = scope[2]
	}
	r.base = &url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(u.Path, key)}
	r.off.Store(r.base.EscapedPath()+key != u.EscapedPath())
}

// plainParameters are the query parameters of a URL that the SDK signed for a plain request.
var plainParameters = []string{
	"X-Amz-Algorithm", "X-Amz-Content-Sha256", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-Signature",
	"X-Amz-SignedHeaders", "x-id",
}

// plainKey reports whether an object's key consists of characters that the SDK sends unchanged; it would replace some
// others.
func plainKey(key string) bool {
	for _, c := range []byte(key) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return key != "" && key[0] != '/' && !strings.Contains(key, "//") && !strings.Contains("/"+key, "/.") &&
		!strings.Contains(key, "../")
}

// read requests size bytes of a version of an object, from offset at on. asked is true if a request was sent. If there
// is neither an answer nor an error, the caller makes the request through the SDK.
func (r *ranges) read(ctx context.Context, o store.Object, at, size int64) (answer *http.Response, asked bool,
	err error) {
	r.learn.Do(func() { r.prepare(context.WithoutCancel(ctx)) })
	if r.off.Load() || size <= 0 || !plainKey(o.Key) {
		return nil, false, nil
	}
	u := *r.base
	u.Path, u.RawPath = r.base.Path+o.Key, r.base.EscapedPath()+httpbinding.EscapePath(o.Key, false)
	q := (&http.Request{Method: http.MethodGet, URL: &u, Host: u.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{
			"Range":    {"bytes=" + strconv.FormatInt(at, 10) + "-" + strconv.FormatInt(at+size-1, 10)},
			"If-Match": {o.Version}, "Accept-Encoding": {"identity"}, "User-Agent": {"dprelease"},
		}}).WithContext(ctx)
	if r.region != "" {
		q.Header["X-Amz-Content-Sha256"] = []string{emptyHash}
		c, err := r.credentials.Retrieve(ctx)
		if err == nil {
			err = signer.SignHTTP(ctx, c, q, emptyHash, "s3", r.region, time.Now())
		}
		if err != nil {
			return nil, false, nil //nolint:nilerr // the caller's request through the SDK returns the error
		}
	}
	answer, err = r.transport.RoundTrip(q)
	switch {
	case err != nil:
		return nil, true, store.Failure(store.Unavailable, "")
	case answer.StatusCode == http.StatusPartialContent:
		return answer, true, nil
	}
	_ = answer.Body.Close()
	if answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode >= http.StatusInternalServerError {
		return nil, true, store.Failure(store.Unavailable, "")
	}
	return nil, true, nil
}

// signer signs requests as S3 requires: paths are escaped once.
var signer = v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })

// objectSize returns the size of the object from a Content-Range header, or -1 if the header has none.
func objectSize(contentRange string) int64 {
	_, size, _ := strings.Cut(contentRange, "/")
	n, err := strconv.ParseInt(size, 10, 64)
	if err != nil {
		return -1
	}
	return n
}
