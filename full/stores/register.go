package stores

import "github.com/dprelease/dprelease/io/store"

// Register registers the three URL schemes.
func Register() {
	store.Register("s3", openS3)
	store.Register("gs", openGCS)
	store.Register("az", openAzure)
}
