package stores

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strconv"

	"cloud.google.com/go/storage"
	"gocloud.dev/blob/gcsblob"
	"gocloud.dev/gcp"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"

	"github.com/dprelease/dprelease/io/store"
)

// openGCS opens a bucket of Google Cloud Storage. It makes the client itself, since gocloud's opener would print a text
// of Google's library if it finds no credentials, and would then use the store without any.
func openGCS(ctx context.Context, a store.Address) (store.Bucket, error) {
	q, err := values(a)
	if err != nil {
		return nil, err
	}
	opener := &gcsblob.URLOpener{Client: gcp.NewAnonymousHTTPClient(gcp.DefaultTransport())}
	// A server named by STORAGE_EMULATOR_HOST needs no credentials.
	if anonymous, _ := strconv.ParseBool(q.Get("anonymous")); !anonymous && os.Getenv("STORAGE_EMULATOR_HOST") == "" {
		// The context is not ctx, since tokens are renewed long after ctx ends.
		creds, err := gcp.DefaultCredentialsWithParams(context.WithoutCancel(ctx),
			google.CredentialsParams{UniverseDomain: q.Get("universe_domain")})
		if err != nil {
			return nil, store.Failure(store.Denied, "no credentials were found: set GOOGLE_APPLICATION_CREDENTIALS to a file "+
				"of them, or sign in by gcloud auth application-default login, or add ?anonymous=true to the address of a public "+
				"bucket")
		}
		if domain, err := creds.GetUniverseDomain(); err == nil && domain != "" {
			opener.Options.ClientOptions = append(opener.Options.ClientOptions, option.WithUniverseDomain(domain))
		}
		if opener.Client, err = gcp.NewHTTPClient(gcp.DefaultTransport(), creds.TokenSource); err != nil {
			return nil, misconfigured()
		}
	}
	b, err := opener.OpenBucketURL(ctx, &url.URL{Scheme: gcsblob.Scheme, Host: a.Bucket, RawQuery: q.Encode()})
	if err != nil {
		return nil, misconfigured()
	}
	return &bucket{Bucket: b, kind: ofGCS{}}, nil
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
	var token *oauth2.RetrieveError
	if errors.As(err, &token) && token.Response != nil {
		if status := token.Response.StatusCode; status != http.StatusBadRequest && status != http.StatusUnauthorized &&
			status != http.StatusForbidden {
			return status, ""
		}
		return http.StatusUnauthorized, noGoogleToken
	}
	return 0, ""
}
