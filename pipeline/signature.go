package pipeline

// Signer signs manifests; it holds the key.
type Signer interface {
	// PublicKey is the text by which the signature is checked.
	PublicKey() string
	// Format names the form of the signature: "minisign".
	Format() string
	// Sign returns the content of the signature's file.
	Sign(manifest []byte) []byte
}

// ManifestSignature says who signed the manifest: the signature itself stands beside it, in release.json.minisig.
type ManifestSignature struct {
	Format    string `json:"format"`
	PublicKey string `json:"public_key"`
}

// Sign returns the signature of the release's manifest; ok is false where the release is not signed.
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
		r.manifest.Signature = &ManifestSignature{Format: s.Format(), PublicKey: s.PublicKey()}
	}
}
