package sink

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/dprelease/dprelease/pipeline"
)

// ReadManifest returns the manifest of a release folder and its SHA-256. Errors: as Inspect.
func ReadManifest(dir string) (m pipeline.Manifest, digest string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return m, "", failure("inspect", dir, err)
	}
	defer root.Close()
	text, err := readSmall(root, manifestName, maxManifest)
	if err != nil {
		return m, "", missing(dir, manifestName, err)
	}
	if m, err = decodeManifest(text); err != nil {
		return m, "", incomplete(dir, manifestName+" "+err.Error())
	}
	sum := sha256.Sum256(text)
	return m, hex.EncodeToString(sum[:]), nil
}

// ReadSigned returns the bytes of a release's manifest and of its signature.
func ReadSigned(dir string) (manifest, signature []byte, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, failure("inspect", dir, err)
	}
	defer root.Close()
	if manifest, err = readSmall(root, manifestName, maxManifest); err != nil {
		return nil, nil, missing(dir, manifestName, err)
	}
	if signature, err = readSmall(root, SignatureName, maxNote); err != nil {
		return nil, nil, missing(dir, SignatureName, err)
	}
	return manifest, signature, nil
}

// decodeManifest accepts exactly one manifest of our format. Its errors are in our own words.
func decodeManifest(text []byte) (m pipeline.Manifest, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return m, reason("is damaged, or of another version")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return m, reason("has something after its end")
	}
	if m.Format != pipeline.ManifestFormat {
		return m, reason("has another format")
	}
	return m, nil
}
