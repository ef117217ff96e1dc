package stores

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/logging"
	gcaws "gocloud.dev/aws"
	"gocloud.dev/blob/s3blob"

	"github.com/dprelease/dprelease/io/store"
)

// defaultRegion is used if no region is set. Servers other than Amazon's accept any region.
const defaultRegion = "us-east-1"

// connections is how many idle connections to a server are kept. A new connection takes several round trips, so this is
// the number of requests that a reader makes at the same time.
const connections = 64

// openS3 opens an S3 bucket. If an endpoint is set, buckets are addressed by paths. The SDK logs nothing and tries each
// request once: the readers retry.
func openS3(ctx context.Context, a store.Address) (store.Bucket, error) {
	q, err := values(a)
	if err != nil {
		return nil, err
	}
	own := map[string]string{}
	for _, name := range []string{"use_path_style", "disable_https", "ssetype", "kmskeyid"} {
		own[name] = q.Get(name)
		q.Del(name)
	}
	cfg, err := gcaws.V2ConfigFromURLParams(ctx, q)
	if err != nil {
		return nil, misconfigured()
	}
	cfg.Logger = logging.Nop{}
	plain, ok := cfg.HTTPClient.(*awshttp.BuildableClient)
	if !ok {
		plain = awshttp.NewBuildableClient()
	}
	plain = plain.WithTransportOptions(func(t *http.Transport) { t.MaxIdleConnsPerHost = connections })
	cfg.HTTPClient = plain.Freeze()
	cfg.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	if cfg.Region == "" {
		cfg.Region = defaultRegion
	}
	client := s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.RetryMaxAttempts = 1
		o.UsePathStyle = o.BaseEndpoint != nil
		if v, err := strconv.ParseBool(own["use_path_style"]); err == nil {
			o.UsePathStyle = v
		}
		if v, err := strconv.ParseBool(own["disable_https"]); err == nil {
			o.EndpointOptions.DisableHTTPS = v
		}
	})
	if c := client.Options().Credentials; c != nil && q.Get("anonymous") == "" {
		if _, err := c.Retrieve(ctx); err != nil && ctx.Err() == nil {
			return nil, store.Failure(store.Denied, "no credentials were found: set AWS_ACCESS_KEY_ID and "+
				"AWS_SECRET_ACCESS_KEY or AWS_PROFILE, or add ?anonymous=true to the address of a public bucket")
		}
	}
	b, err := s3blob.OpenBucket(ctx, client, a.Bucket, &s3blob.Options{
		EncryptionType: types.ServerSideEncryption(own["ssetype"]), KMSEncryptionID: own["kmskeyid"],
		RequestChecksumCalculation: cfg.RequestChecksumCalculation,
	})
	if err != nil {
		return nil, misconfigured()
	}
	all := &bucket{Bucket: b, kind: ofS3{}}
	if c, ok := cfg.HTTPClient.(*http.Client); ok {
		all.ranges = newRanges(client, c.Transport, a.Bucket)
	}
	return all, nil
}

type ofS3 struct{}

func (ofS3) versionOf(as func(any) bool) string {
	var listed types.Object
	var head s3.HeadObjectOutput
	switch {
	case as(&listed):
		return aws.ToString(listed.ETag)
	case as(&head):
		return aws.ToString(head.ETag)
	}
	return ""
}

func (ofS3) pin(as func(any) bool, version string) error {
	var read *s3.GetObjectInput
	var write *transfermanager.UploadObjectInput
	var remove *s3.DeleteObjectInput
	switch {
	case as(&read):
		read.IfMatch = aws.String(version)
	case as(&write):
		write.IfMatch = aws.String(version)
	case as(&remove):
		remove.IfMatch = aws.String(version)
	default:
		return store.Failure(store.Unsupported, "")
	}
	return nil
}

func (ofS3) answered(as func(any) bool) (string, int64) {
	var out s3.GetObjectOutput
	if !as(&out) {
		return "", -1
	}
	return aws.ToString(out.ETag), firstByte(aws.ToString(out.ContentRange))
}

func (ofS3) status(err error) (status int, code string) {
	var answer *awshttp.ResponseError
	if errors.As(err, &answer) {
		status = answer.HTTPStatusCode()
	}
	var api smithy.APIError
	if errors.As(err, &api) {
		code = api.ErrorCode()
	}
	return status, code
}
