package signing

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"aead.dev/minisign"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
)

// newKey makes a pair of keys with the verb, and returns the path of the secret key. It has no password: to derive a
// key from one takes a minute and a gigabyte of memory.
func newKey(t *testing.T) string {
	t.Helper()
	t.Setenv(PasswordVariable, "")
	path := filepath.Join(t.TempDir(), "sign.key")
	if err := keygen(&console.Console{Stdout: &bytes.Buffer{}}, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// A signature is valid for its manifest and key, and for no other manifest or key: minisign checks it.
func TestSignaturesHold(t *testing.T) {
	path := newKey(t)
	s, err := NewSigner(path)
	if err != nil {
		t.Fatal(err)
	}
	public, err := PublicKey(path + ".pub")
	if err != nil || public.String() != s.PublicKey() || s.Format() != "minisign" {
		t.Fatalf("%s in the file, %s of the signer: %v", public, s.PublicKey(), err)
	}
	if text, err := PublicKey(" " + s.PublicKey() + "\n"); err != nil || text.String() != public.String() {
		t.Errorf("the text of the key is read as %v, %v", text, err)
	}
	manifest := []byte(`{"name": "r"}`)
	signature := s.Sign(manifest)
	if !minisign.Verify(public, manifest, signature) {
		t.Error("its own signature does not hold")
	}
	if minisign.Verify(public, []byte(`{"name": "s"}`), signature) {
		t.Error("a signature holds for another manifest")
	}
	other, err := PublicKey(newKey(t) + ".pub")
	if err != nil || minisign.Verify(other, manifest, signature) {
		t.Errorf("a signature holds for another key: %v", err)
	}
}

// A key that others can read and a file that is not a key are refused, and no key is overwritten.
func TestKeysAreRefused(t *testing.T) {
	if s, err := NewSigner(""); s != nil || err != nil {
		t.Errorf("no key makes a signer: %v, %v", s, err)
	}
	path := newKey(t)
	if err := keygen(&console.Console{Stdout: &bytes.Buffer{}}, path); err == nil {
		t.Error("a key was replaced")
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := NewSigner(path); err == nil {
		t.Error("a key that others can read is accepted")
	}
	if _, err := NewSigner(path + ".missing"); err == nil {
		t.Error("a key that is not there is accepted")
	}
	if _, err := PublicKey("no key"); err == nil {
		t.Error("a text that is no key is accepted")
	}
}
