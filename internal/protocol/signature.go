package protocol

import (
	"context"

	"github.com/dprelease/dprelease/pipeline"
)

// stagedName is the release's folder in a staging folder.
const stagedName = "release"

// signStaged signs a complete staging that an earlier run made without this signature, before it is sealed.
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

// promised returns an error if a release folder is not signed by the signer, if there is one: sealed or published bytes
// never change.
func (a *attempt) promised(dir string) error {
	if a.Signer == nil {
		return nil
	}
	key, err := a.Sink.SignedBy(dir)
	if err != nil {
		return pipeline.OutputError(err)
	}
	return Unsigned(dir, key, a.Signer)
}

// Unsigned returns the error of a release in dir whose manifest names another key than the signer's, or none; nil if it
// names the signer's.
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
