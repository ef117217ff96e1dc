package verify

import (
	"context"

	"aead.dev/minisign"

	"github.com/dprelease/dprelease/cmd/release/internal/signing"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// signature checks the manifest's signature with the public key that the manifest names. If --key is given, it must be
// this key.
func (v *verifying) signature(context.Context) error {
	wanted := v.flags.key != ""
	var key minisign.PublicKey
	if wanted {
		var err error
		if key, err = signing.PublicKey(v.flags.key); err != nil {
			return err
		}
	}
	switch stated := v.manifest.Signature; {
	case !v.readable:
		v.add("signature", skipped, "the manifest cannot be read")
	case stated == nil && wanted:
		v.add("signature", failed, "the manifest is not signed")
	case stated == nil:
		v.add("signature", skipped, "the manifest is not signed")
	default:
		v.signed(stated, key, wanted)
	}
	return nil
}

func (v *verifying) signed(stated *manifest.Signature, key minisign.PublicKey, wanted bool) {
	var own minisign.PublicKey
	manifest, signature, err := sink.ReadSigned(v.dir)
	switch {
	case err != nil:
		v.add("signature", failed, "%v", err)
	case stated.Format != "minisign" || own.UnmarshalText([]byte(stated.PublicKey)) != nil:
		v.add("signature", failed, "the manifest names no key that can be read")
	case wanted && !own.Equal(key):
		v.add("signature", failed, "the manifest is signed with another key")
	case !minisign.Verify(own, manifest, signature):
		v.add("signature", failed, "the signature does not fit the manifest")
	case wanted:
		v.add("signature", passed, "signed by the owner of the key")
	default:
		v.add("signature", passed, "signed by %s; --key says whose key that must be", stated.PublicKey)
	}
}
