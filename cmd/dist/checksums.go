package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"aead.dev/minisign"
)

const (
	checksums        = "SHA256SUMS"
	passwordVariable = "DPRELEASE_SIGN_PASSWORD"
)

// readKey reads a minisign secret key, which nobody else may read; nil if none is asked for.
func readKey(path string) (*minisign.PrivateKey, error) {
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s: others may read the secret key: chmod 600", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var key minisign.PrivateKey
	if minisign.IsEncrypted(text) {
		key, err = minisign.DecryptKey(os.Getenv(passwordVariable), text)
	} else {
		err = key.UnmarshalText(text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not a minisign secret key, or the password in %s is not its own", path, passwordVariable)
	}
	return &key, nil
}

// writeChecksums writes the SHA-256 of the named files, as sha256sum does, and signs it if there is a key.
func writeChecksums(dir string, names []string, key *minisign.PrivateKey) error {
	var lines bytes.Buffer
	for _, name := range slices.Sorted(slices.Values(names)) {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(content), name)
	}
	path := filepath.Join(dir, checksums)
	if err := os.WriteFile(path, lines.Bytes(), 0o644); err != nil || key == nil {
		return err
	}
	signature := minisign.SignWithComments(*key, lines.Bytes(), "file:"+checksums, "signature of a release of dprelease")
	return os.WriteFile(path+".minisig", signature, 0o644)
}
