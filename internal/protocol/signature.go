package protocol

import (
	"context"

	"github.com/dprelease/dprelease/pipeline"
)

// stagedName is the release's folder in a staging folder.
const stagedName = "release"

// signStaged signs the release in a complete staging folder of an earlier run, before the release is sealed, unless it
// has this signature.
func (a *attempt) signStaged(ctx context.Context, staging, note, digest string) (string, error) {
	if a.Signer == nil {
		return digest, nil
	}
	digest, err := a.Sink.SignStaged(ctx, staging, a.Signer)
	if err != nil {
		return "", pipeline.OutputError(err)
	}
	return digest, a.writeMAC(ctx, note, digest)
}

// checkSigned returns an error if there is a signer but the release in dir lacks its signature: none can be added to
// sealed or published bytes.
func (a *attempt) checkSigned(dir string) error {
	if a.Signer == nil {
		return nil
	}
	key, err := a.Sink.SignedBy(dir)
	if err != nil {
		return pipeline.OutputError(err)
	}
	return Unsigned(dir, key, a.Signer)
}

// Unsigned returns an error if key, the key that the manifest of the release in dir names ("" if none), is not the
// signer's.
func Unsigned(dir, key string, s pipeline.Signer) error {
	e := &pipeline.Error{
		Cause: pipeline.CauseOutput, Code: "unsigned", Message: "the release in " + dir +
			" was made before and is not signed",
		Hint: "a sealed or published release is never changed: run without --sign to leave it as it is, or pay for a " +
			"signed release with --new-release --sign",
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
