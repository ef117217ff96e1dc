package sink

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// ReadManifest returns the manifest of a release folder and the manifest's SHA-256. Its errors are those that Inspect
// returns.
func ReadManifest(dir string) (m manifest.Manifest, digest string, err error) {
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return m, "", failure("inspect", dir, err)
	}
	defer root.Close()
	text, err := readSmall(root, manifestName, maxManifest)
	if err != nil {
		return m, "", missingError(dir, manifestName, err)
	}
	if m, err = manifest.Parse(text); err != nil {
		return m, "", incomplete(dir, manifestName+" "+err.Error())
	}
	sum := sha256.Sum256(text)
	return m, hex.EncodeToString(sum[:]), nil
}

// Manifest returns release.json of a release folder and the file's SHA-256. It does not check the other files. Its
// errors are those that Inspect returns.
func (f *Folder) Manifest(dir string) (manifest.Manifest, string, error) { return ReadManifest(dir) }

// ReadSigned returns the bytes of a release's manifest and of its signature.
func ReadSigned(dir string) (text, signature []byte, err error) {
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return nil, nil, failure("inspect", dir, err)
	}
	defer root.Close()
	if text, err = readSmall(root, manifestName, maxManifest); err != nil {
		return nil, nil, missingError(dir, manifestName, err)
	}
	if signature, err = readSmall(root, SignatureName, maxNote); err != nil {
		return nil, nil, missingError(dir, SignatureName, err)
	}
	return text, signature, nil
}
