package stores

import (
	"context"
	"errors"
	"strconv"

	"cloud.google.com/go/storage"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/gcsblob" // gs://
	"google.golang.org/api/googleapi"

	"github.com/dprelease/dprelease/io/store"
)

// openGCS opens a bucket of Google Cloud Storage.
func openGCS(ctx context.Context, a store.Address) (store.Bucket, error) {
	q, err := values(a)
	if err != nil {
		return nil, err
	}
	b, err := blob.OpenBucket(ctx, "gs://"+a.Bucket+"?"+q.Encode())
	if err != nil {
		return nil, misconfigured()
	}
	return &bucket{b, ofGCS{}}, nil
}

type ofGCS struct{}

func (ofGCS) versionOf(as func(any) bool) string {
	var attrs storage.ObjectAttrs
	if !as(&attrs) {
		return ""
	}
	return strconv.FormatInt(attrs.Generation, 10)
}

func (ofGCS) pin(as func(any) bool, version string) error {
	var object **storage.ObjectHandle
	generation, err := strconv.ParseInt(version, 10, 64)
	if err != nil || !as(&object) {
		return store.Failure(store.Unsupported, "")
	}
	*object = (*object).If(storage.Conditions{GenerationMatch: generation})
	return nil
}

func (ofGCS) answered(as func(any) bool) (string, int64) {
	var r *storage.Reader
	if !as(&r) {
		return "", -1
	}
	return strconv.FormatInt(r.Attrs.Generation, 10), r.Attrs.StartOffset
}

func (ofGCS) status(err error) (int, string) {
	var answer *googleapi.Error
	if errors.As(err, &answer) {
		return answer.Code, ""
	}
	return 0, ""
}
