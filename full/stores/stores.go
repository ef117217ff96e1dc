// Package stores adds S3, Google Cloud Storage and Azure to a program, for the URLs s3://bucket/key, gs://bucket/key
// and az://container/key. Call Register once.
//
// Requests go through gocloud.dev/blob. This package adds the versions of objects to them. Credentials are found as
// each store's own tools find them (docs/howto/object-stores.md).
package stores

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/dprelease/dprelease/io/store"
)

// kind has the functions that differ between the three stores.
type kind interface {
	// versionOf returns the version of an object that was listed or whose attributes were read; as is the method As of
	// the listed object or the attributes.
	versionOf(as func(any) bool) string
	// pin restricts a read, a write or a removal to one version. as is the As function of the request's options.
	pin(as func(any) bool, version string) error
	// answered returns the version whose bytes a read got, and the offset of the first byte; as is the method As of the
	// reader.
	answered(as func(any) bool) (version string, at int64)
	// status returns the HTTP status of an error's answer and the store's error code; 0 if no answer came.
	status(err error) (status int, code string)
}

// Codes for requests that were not sent because no token could be obtained.
const (
	noGoogleToken = "dprelease-no-google-token"
	noAzureToken  = "dprelease-no-azure-token"
)

const hintOfAzure = "no credentials were found, or Azure refuses them: set AZURE_STORAGE_ACCOUNT and " +
	"AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or sign in by az login"

type bucket struct {
	*blob.Bucket
	kind   kind
	ranges *ranges // nil if the library makes all requests
}

// guard makes one call of a store's library. The libraries panic if an answer lacks a header that the store always sends:
// then something else answered, such as a proxy with a page of its own.
func guard(call func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = store.Failure(store.Unavailable, "is the endpoint right, or does a proxy answer in the store's place?")
		}
	}()
	return call()
}

func (b *bucket) Stat(ctx context.Context, key string) (store.Object, error) {
	var a *blob.Attributes
	err := guard(func() (err error) { a, err = b.Attributes(ctx, key); return err })
	if err != nil {
		return store.Object{}, b.failure(ctx, err)
	}
	o := store.Object{Key: key, Size: a.Size, Version: b.kind.versionOf(a.As)}
	return b.versioned(o)
}

// versioned returns o, or an error if the store states no version of the object.
func (b *bucket) versioned(o store.Object) (store.Object, error) {
	if o.Version == "" {
		return o, store.Failure(store.Unsupported, "the store states no version of the object, so a change would not be seen")
	}
	return o, nil
}

func (b *bucket) List(ctx context.Context, prefix string, yield func(store.Object) error) error {
	objects := b.Bucket.List(&blob.ListOptions{Prefix: prefix})
	for {
		var l *blob.ListObject
		err := guard(func() (err error) { l, err = objects.Next(ctx); return err })
		switch {
		case err == io.EOF: //nolint:errorlint // a connection that is cut within a list wraps io.EOF
			return nil
		case err != nil:
			return b.failure(ctx, err)
		case l.IsDir:
			continue
		}
		o, err := b.versioned(store.Object{Key: l.Key, Size: l.Size, Version: b.kind.versionOf(l.As)})
		if err == nil {
			err = yield(o)
		}
		if err != nil {
			return err
		}
	}
}

func (b *bucket) Read(ctx context.Context, o store.Object, at, size int64) (io.ReadCloser, error) {
	asked := false
	if b.ranges != nil {
		var answer *http.Response
		var err error
		if answer, asked, err = b.ranges.read(ctx, o, at, size); err != nil {
			return nil, b.failure(ctx, err)
		}
		if answer != nil {
			span := answer.Header.Get("Content-Range")
			return answered(answer.Body, o, at, answer.Header.Get("ETag"), firstByte(span), objectSize(span))
		}
	}
	var r *blob.Reader
	err := guard(func() (err error) {
		r, err = b.NewRangeReader(ctx, o.Key, at, size, &blob.ReaderOptions{
			BeforeRead: func(as func(any) bool) error { return b.kind.pin(as, o.Version) },
		})
		return err
	})
	if err != nil {
		return nil, b.failure(ctx, err)
	}
	if asked { // the plain request failed and the library's succeeded
		b.ranges.off.Store(true)
	}
	version, first := b.kind.answered(r.As)
	return answered(r, o, at, version, first, r.Size())
}

// answered checks an answer to a request for the bytes of object o from offset at, and returns its body. version, first
// and size are what the answer states: the object's version, the offset of the first byte and the object's size. It is
// an error if version or offset differ from the request.
func answered(body io.ReadCloser, o store.Object, at int64, version string, first, size int64) (io.ReadCloser, error) {
	var err error
	switch {
	case version != o.Version:
		err = store.Failure(store.Changed, "")
	case first != at:
		err = store.Failure(store.Unsupported, "the store does not send the part of the object that was asked for: does a "+
			"proxy or a gateway ignore ranges? download the object, and name the copy")
	case size != o.Size:
		err = store.Failure(store.Changed, "")
	default:
		return body, nil
	}
	_ = body.Close()
	return nil, err
}

// firstByte returns the offset of an answer's first byte from its Content-Range header: 0 if there is no such header,
// since the answer is then the whole object, and -1 if the header is malformed.
func firstByte(contentRange string) int64 {
	if contentRange == "" {
		return 0
	}
	span, bytes := strings.CutPrefix(contentRange, "bytes ")
	first, _, _ := strings.Cut(span, "-")
	at, err := strconv.ParseInt(first, 10, 64)
	if !bytes || err != nil {
		return -1
	}
	return at
}

func (b *bucket) Put(ctx context.Context, key, mediaType string, content io.ReadSeeker, _ int64,
	over *store.Object) error {
	o := &blob.WriterOptions{ContentType: mediaType, DisableContentTypeDetection: true}
	fresh := over != nil && over.Version == ""
	if o.IfNotExist = fresh; over != nil && !fresh {
		o.BeforeWrite = func(as func(any) bool) error { return b.kind.pin(as, over.Version) }
	}
	err := b.Upload(ctx, key, content, o)
	if err == nil {
		return nil
	}
	if err = b.failure(ctx, err); fresh && store.KindOf(err) == store.Changed {
		return store.Failure(store.Exists, "")
	}
	return err
}

func (b *bucket) Delete(ctx context.Context, o store.Object) error {
	now, err := b.Stat(ctx, o.Key) // compare the version first: not all servers respect the condition of a removal
	switch {
	case err != nil && store.KindOf(err) == store.NotFound:
		return nil
	case err != nil:
		return err
	case now.Version != o.Version:
		return store.Failure(store.Changed, "")
	}
	err = b.DeleteWithOptions(ctx, o.Key,
		&blob.DeleteOptions{BeforeDelete: func(as func(any) bool) error { return b.kind.pin(as, o.Version) }})
	if err == nil || gcerrors.Code(err) == gcerrors.NotFound {
		return nil
	}
	return b.failure(ctx, err)
}

// failure classifies an error of the store. The error that it returns does not contain the store's text.
func (b *bucket) failure(ctx context.Context, err error) error {
	if e := ctx.Err(); e != nil {
		return e
	}
	var known *store.Error
	if errors.As(err, &known) {
		return known
	}
	status, code := b.kind.status(err)
	switch {
	case code == noGoogleToken:
		return store.Failure(store.Denied, "Google refuses the credentials: renew them, and run again")
	case code == noAzureToken:
		return store.Failure(store.Denied, hintOfAzure)
	case code == "RequestTimeTooSkewed":
		return store.Failure(store.Unavailable, "is the machine's clock right?")
	case status == http.StatusNotFound:
		return store.Failure(store.NotFound, "")
	case code == "ExpiredToken" || code == "TokenRefreshRequired" || code == "InvalidToken" || code == "RequestExpired":
		return store.Failure(store.Denied, "the credentials have expired: renew them, and run again")
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return store.Failure(store.Denied, "")
	case status == http.StatusPreconditionFailed || status == http.StatusNotModified || status == http.StatusConflict:
		return store.Failure(store.Changed, "")
	case status == http.StatusRequestedRangeNotSatisfiable:
		return store.Failure(store.Changed, "")
	case status == http.StatusMovedPermanently || status == http.StatusTemporaryRedirect ||
		code == "AuthorizationHeaderMalformed":
		return store.Failure(store.Misconfigured, "is it the bucket's region? set AWS_REGION, or add ?region= to the address")
	case code == "RequestTimeout" || code == "SlowDown" || status == http.StatusRequestTimeout ||
		status == http.StatusTooManyRequests || status >= http.StatusInternalServerError:
		return store.Failure(store.Unavailable, "")
	case status >= http.StatusBadRequest:
		return store.Failure(store.Unsupported, "the store refuses the request: check the address and the credentials")
	}
	switch gcerrors.Code(err) {
	case gcerrors.NotFound:
		return store.Failure(store.NotFound, "")
	case gcerrors.PermissionDenied:
		return store.Failure(store.Denied, "")
	case gcerrors.FailedPrecondition:
		return store.Failure(store.Changed, "")
	case gcerrors.InvalidArgument, gcerrors.Unimplemented:
		return store.Failure(store.Unsupported, "")
	}
	return store.Unanswered(err)
}

// misconfigured returns the error for a bucket whose options or credentials the library rejects.
func misconfigured() error {
	return store.Failure(store.Misconfigured,
		"check the options of the address and the store's environment variables, as docs/howto/object-stores.md has them")
}

// values parses the options of a URL.
func values(a store.Address) (url.Values, error) {
	q, err := url.ParseQuery(a.Options)
	if err != nil {
		return nil, misconfigured()
	}
	return q, nil
}
