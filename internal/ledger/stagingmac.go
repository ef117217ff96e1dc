package ledger

import (
	"context"
	"crypto/hmac"
	"encoding/binary"
)

// StagingMAC returns a MAC that proves that a run with this ledger wrote a staged release; a later run that resumes
// compares it. It is an HMAC-SHA-256 in hex under the store's secret. It covers the fingerprint, the note that is
// stored with the staging and the manifest's digest, each preceded by its length, and the release's number.
func (b *Book) StagingMAC(ctx context.Context, fingerprint string, number int, note, manifest string) (string, error) {
	secret, err := b.store.Secret(ctx)
	if err != nil {
		return "", err
	}
	var text []byte
	for _, field := range []string{fingerprint, note, manifest} {
		text = binary.BigEndian.AppendUint64(text, uint64(len(field)))
		text = append(text, field...)
	}
	return keyed(secret, "dprelease staging\x00", binary.BigEndian.AppendUint64(text, uint64(number))), nil
}

// CheckStagingMAC reports whether mac is the MAC that StagingMAC returns for the same arguments. It compares in
// constant time.
func (b *Book) CheckStagingMAC(ctx context.Context, mac, fingerprint string, number int, note, manifest string) (bool,
	error) {
	want, err := b.StagingMAC(ctx, fingerprint, number, note, manifest)
	return err == nil && hmac.Equal([]byte(mac), []byte(want)), err
}
