package sqlstore

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
)

// Reading stored rows, for both databases. A damaged value is ledger.ErrCorrupt.

// row is the Scan method of a row, with which database/sql and pgx store its columns into dst.
type row func(dst ...any) error

func (r row) head() (h ledger.Head, err error) {
	var hash []byte
	if err := r(&h.Seq, &hash); err != nil {
		return ledger.Head{}, err
	}
	if h.Seq < 0 || copy(h.Hash[:], hash) != len(hash) || len(hash) != len(h.Hash) {
		return ledger.Head{}, fmt.Errorf("%w: its head cannot be read", ledger.ErrCorrupt)
	}
	return h, nil
}

func (r row) entry() (e ledger.Entry, err error) {
	var when, kind, body string
	var hash []byte
	if err := r(&e.Seq, &e.Schema, &when, &kind, &body, &hash); err != nil {
		return e, fmt.Errorf("%w: an entry cannot be read", ledger.ErrCorrupt)
	}
	e.Time, err = time.Parse(time.RFC3339Nano, when)
	if err != nil || e.TimeText() != when || len(hash) != copy(e.Hash[:], hash) {
		return e, &ledger.CorruptError{Seq: e.Seq, Why: "its time or hash cannot be read"}
	}
	e.Kind, e.Body = ledger.Kind(kind), []byte(body)
	return e, nil
}

func (r row) secret() (secret []byte, err error) {
	var sum []byte
	if err := r(&secret, &sum); err != nil {
		return nil, err
	}
	if len(secret) != secretSize || !bytes.Equal(sum, secretSum(secret)) {
		return nil, fmt.Errorf("%w: its secret is not what was made", ledger.ErrCorrupt)
	}
	return secret, nil
}

const secretSize = 32

func newSecret() []byte {
	secret := make([]byte, secretSize)
	_, _ = rand.Read(secret) // no error: the process ends if there is no randomness
	return secret
}

// secretSum returns the checksum that is stored with the secret, to detect damage.
func secretSum(secret []byte) []byte {
	sum := sha256.Sum256(append([]byte("dprelease ledger secret\x00"), secret...))
	return sum[:]
}
