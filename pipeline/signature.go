package pipeline

import (
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

// SignBy lets the release be signed when it is staged; nil leaves it unsigned.
func (r *Release) SignBy(s Signer) {
	if s != nil {
		r.signer = s
		r.manifest.Signature = &manifest.Signature{Format: s.Format(), PublicKey: s.PublicKey()}
	}
}
