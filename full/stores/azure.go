package stores

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	azureblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // opens azblob:// URLs

	"github.com/dprelease/dprelease/io/store"
)

func openAzure(ctx context.Context, a store.Address) (store.Bucket, error) {
	q, err := values(a)
	if err != nil {
		return nil, err
	}
	b, err := blob.OpenBucket(ctx, "azblob://"+a.Bucket+"?"+q.Encode())
	switch known := cmp.Or(os.Getenv("AZURE_STORAGE_ACCOUNT"), os.Getenv("AZURE_STORAGE_CONNECTION_STRING"),
		os.Getenv("AZURE_STORAGEBLOB_CONNECTIONSTRING"), q.Get("storage_account")); {
	case err != nil && known == "":
		return nil, store.Failure(store.Denied, hintOfAzure)
	case err != nil:
		return nil, misconfigured()
	}
	return &bucket{Bucket: b, kind: ofAzure{}}, nil
}

type ofAzure struct{}

// quotedTag returns an ETag in quotes. Requests need the quotes, but listings return ETags without them.
func quotedTag(tag azcore.ETag) string {
	if s := string(tag); s == "" || strings.HasSuffix(s, `"`) {
		return s
	}
	return `"` + string(tag) + `"`
}

func (ofAzure) versionOf(as func(any) bool) string {
	var listed container.BlobItem
	var head azureblob.GetPropertiesResponse
	switch {
	case as(&listed) && listed.Properties != nil && listed.Properties.ETag != nil:
		return quotedTag(*listed.Properties.ETag)
	case as(&head) && head.ETag != nil:
		return quotedTag(*head.ETag)
	}
	return ""
}

func (ofAzure) pin(as func(any) bool, version string) error {
	tag := azcore.ETag(version)
	only := &azureblob.AccessConditions{ModifiedAccessConditions: &azureblob.ModifiedAccessConditions{IfMatch: &tag}}
	var read *azblob.DownloadStreamOptions
	var write *azblob.UploadStreamOptions
	var remove *azureblob.DeleteOptions
	switch {
	case as(&read):
		read.AccessConditions = only
	case as(&write):
		write.AccessConditions = only
	case as(&remove):
		remove.AccessConditions = only
	default:
		return store.Failure(store.Unsupported, "")
	}
	return nil
}

func (ofAzure) answered(as func(any) bool) (string, int64) {
	var out azblob.DownloadStreamResponse
	if !as(&out) || out.ETag == nil {
		return "", -1
	}
	var span string
	if out.ContentRange != nil {
		span = *out.ContentRange
	}
	return quotedTag(*out.ETag), firstByte(span)
}

func (ofAzure) status(err error) (int, string) {
	var answer *azcore.ResponseError
	if errors.As(err, &answer) {
		return answer.StatusCode, answer.ErrorCode
	}
	var final interface{ NonRetriable() } // the default credential chain found no credentials
	if errors.As(err, &final) {
		return http.StatusUnauthorized, noAzureToken
	}
	return 0, ""
}
