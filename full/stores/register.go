package stores

import "github.com/dprelease/dprelease/io/store"

// Register registers the URL schemes s3, gs and az.
func Register() {
	store.Register("s3", openS3)
	store.Register("gs", openGCS)
	store.Register("az", openAzure)
}
