package ledger

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// Fingerprint returns a keyed digest of an input's digest, in hex: HMAC-SHA-256 of a constant and inputDigest under the
// store's secret. The secret never leaves the store.
func (b *Book) Fingerprint(ctx context.Context, inputDigest []byte) (string, error) {
	secret, err := b.store.Secret(ctx)
	if err != nil {
		return "", err
	}
	return keyed(secret, "dprelease input\x00", inputDigest), nil
}

// InputKey returns the key under which a run hashes its input to get the digest for [Book.Fingerprint]: the
// HMAC-SHA-256 of a constant under the store's secret.
func (b *Book) InputKey(ctx context.Context) ([]byte, error) {
	secret, err := b.store.Secret(ctx)
	if err != nil {
		return nil, err
	}
	return hmacOf(secret, "dprelease input key\x00", nil), nil
}

// keyed returns the HMAC-SHA-256 of a label and a message, in hex.
func keyed(secret []byte, label string, message []byte) string {
	return hex.EncodeToString(hmacOf(secret, label, message))
}

func hmacOf(secret []byte, label string, message []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(label))
	mac.Write(message)
	return mac.Sum(nil)
}
