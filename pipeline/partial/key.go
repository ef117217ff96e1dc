package partial

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
)

// Key is the secret key of a run. Its shards share it; whoever has it can read and forge partial aggregates of the run.
//
// It includes the key with which the ledger hashes inputs (ledger.Book.InputKey). So shards need no ledger, and the
// input's digest is the same as in a run on one machine.
type Key struct {
	secret [secretBytes]byte
	input  [inputBytes]byte
}

const (
	secretBytes = 32
	inputBytes  = sha256.Size
	keyMark     = "dprelease-run-key-1 "
)

// ErrKey means that a text is not a key of a run, or that an input key does not have 32 bytes.
var ErrKey = errors.New("this is not a key of a run")

// NewKey draws a random key. input is the ledger's key for hashing inputs, of 32 bytes. Errors: ErrKey if its length is
// different.
func NewKey(input []byte) (Key, error) {
	var k Key
	if len(input) != inputBytes {
		return k, ErrKey
	}
	copy(k.input[:], input)
	_, err := rand.Read(k.secret[:])
	return k, err
}

// ParseKey parses the text that Reveal returns. Its error is ErrKey.
func ParseKey(text string) (Key, error) {
	var k Key
	encoded, marked := strings.CutPrefix(strings.TrimSpace(text), keyMark)
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || !marked || len(raw) != secretBytes+inputBytes {
		return k, ErrKey
	}
	copy(k.secret[:], raw)
	copy(k.input[:], raw[secretBytes:])
	return k, nil
}

// Reveal returns the secret key as one line of text.
func (k Key) Reveal() string {
	return keyMark + base64.StdEncoding.EncodeToString(append(k.secret[:], k.input[:]...)) + "\n"
}

// InputKey returns a copy of the ledger's key for hashing inputs.
func (k Key) InputKey() []byte { return append([]byte(nil), k.input[:]...) }

// String hides the key from fmt and logs.
func (k Key) String() string { return "a key of a run" }

// GoString hides the key from the verb %#v.
func (k Key) GoString() string { return k.String() }

// derive derives 32 bytes from the run's secret by HKDF-SHA256. The purpose keeps keys for different uses independent.
func (k Key) derive(salt []byte, purpose string) ([]byte, error) {
	return hkdf.Key(sha256.New, k.secret[:], salt, "dprelease partial 1 "+purpose, 32)
}
