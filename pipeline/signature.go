package pipeline

import (
	"context"

	"github.com/dprelease/dprelease/pipeline/manifest"
)

// Signer signs manifests; it holds the key.
type Signer interface {
	// PublicKey is the text by which the signature is checked.
	PublicKey() string
	// Format names the form of the signature: "minisign".
	Format() string
	// Sign returns the content of the signature's file.
	Sign(manifest []byte) []byte
}

// Sign returns the signature of the release's manifest; ok is false if the release is not signed.
func (r *Release) Sign(manifest []byte) (signature []byte, ok bool) {
	if r.signer == nil {
		return nil, false
	}
	return r.signer.Sign(manifest), true
}

// signedBy makes a release that is signed when it is staged.
func (r *Release) signedBy(s Signer) {
	if s != nil {
		r.signer = s
		r.manifest.Signature = &manifest.Signature{Format: s.Format(), PublicKey: s.PublicKey()}
	}
}

// stagedName is the release's folder in a staging folder.
const stagedName = "release"

// signStaged signs a complete staging that an earlier run made without this signature, before it is sealed.
func (a *attempt) signStaged(ctx context.Context, staging, note, digest string) (string, error) {
	if a.Signer == nil {
		return digest, nil
	}
	digest, err := a.Sink.SignStaged(ctx, staging, a.Signer)
	if err != nil {
		return "", OutputError(err)
	}
	return digest, a.vouch(ctx, note, digest)
}

// promised refuses a release folder that is not signed by the signer, if there is one: bytes that are sealed or published never change.
func (a *attempt) promised(dir string) error {
	if a.Signer == nil {
		return nil
	}
	key, err := a.Sink.SignedBy(dir)
	if err != nil {
		return OutputError(err)
	}
	return Unsigned(dir, key, a.Signer)
}

// Unsigned is the error of a release in dir whose manifest names another key than the signer's, or none; nil if it names the signer's.
func Unsigned(dir, key string, s Signer) error {
	e := &Error{
		Cause: CauseOutput, Code: "unsigned", Message: "the release in " + dir + " was made before and is not signed",
		Hint: "what is sealed or published is never changed: run without --sign to leave it as it is, or pay for a signed release with --new-release --sign",
	}
	switch key {
	case s.PublicKey():
		return nil
	case "":
		return e
	}
	e.Message = "the release in " + dir + " was made before and is signed with another key"
	return e
}
