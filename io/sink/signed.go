package sink

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// SignedBy returns the public key that a release folder's manifest names; empty if the manifest is not signed.
func (f *Folder) SignedBy(dir string) (publicKey string, err error) {
	m, _, err := ReadManifest(dir)
	if err != nil || m.Signature == nil {
		return "", err
	}
	return m.Signature.PublicKey, nil
}

// SignStaged signs the manifest of a complete staging folder, unless the key of s has signed it already. If it is
// interrupted, the staging folder is incomplete. Afterwards the folder has no MAC.
func (f *Folder) SignStaged(ctx context.Context, staging string, s pipeline.Signer) (digest string, err error) {
	const op = "sign"
	if err := checkPrivate(op, staging); err != nil {
		return "", err
	}
	dir := filepath.Join(staging, releaseName)
	m, digest, err := ReadManifest(dir)
	if err != nil || m.Signature != nil && m.Signature.PublicKey == s.PublicKey() {
		return digest, err
	}
	m.Signature = &manifest.Signature{Format: s.Format(), PublicKey: s.PublicKey()}
	if err := resign(staging, dir, m, s); err != nil {
		return "", failure(op, staging, err)
	}
	return f.Inspect(ctx, dir)
}

func resign(staging, dir string, m manifest.Manifest, s pipeline.Signer) error {
	for _, path := range []string{filepath.Join(staging, macName), filepath.Join(dir, manifestName),
		filepath.Join(dir, SignatureName)} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := writeManifest(root, m, func(text []byte) ([]byte, bool) { return s.Sign(text), true }); err != nil {
		return err
	}
	return errors.Join(syncFolder(dir), syncFolder(staging))
}
