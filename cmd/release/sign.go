package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"aead.dev/minisign"
	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/pipeline/protocol"
)

// passwordVariable holds the password of an encrypted key.
const passwordVariable = "DPRELEASE_SIGN_PASSWORD"

// signer signs with a minisign key (Ed25519).
type signer struct{ key minisign.PrivateKey }

// Format is the form of the signatures.
func (s signer) Format() string { return "minisign" }

// PublicKey is the key's other half, as minisign writes it.
func (s signer) PublicKey() string { return publicText(s.key) }

// Sign returns the content of the signature's file.
func (s signer) Sign(manifest []byte) []byte {
	return minisign.SignWithComments(s.key, manifest, "file:release.json", "signature of a dprelease manifest")
}

func publicText(key minisign.PrivateKey) string {
	public, ok := key.Public().(minisign.PublicKey)
	if !ok {
		return ""
	}
	return public.String()
}

// signedOutcome is an error if a release that a run found is not signed by the signer: --sign is a promise.
func signedOutcome(dir string, s pipeline.Signer) error {
	key, err := sink.New().SignedBy(dir)
	if err != nil {
		return pipeline.OutputError(err)
	}
	if err := protocol.Unsigned(console.Here(dir), key, s); err != nil {
		return err
	}
	manifest, signature, err := sink.ReadSigned(dir)
	if err != nil {
		return pipeline.OutputError(err)
	}
	var public minisign.PublicKey
	if public.UnmarshalText([]byte(key)) != nil || !minisign.Verify(public, manifest, signature) {
		return &pipeline.Error{
			Cause: pipeline.CauseOutput, Code: "altered", Message: "the signature of the release in " + console.Here(dir) + " was changed",
			Hint: "restore " + sink.SignatureName + " from a copy",
		}
	}
	return nil
}

// readKey reads a secret key that nobody but its owner can read.
func readKey(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, console.Usagef("--sign: the key %s can't be read", path)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil || !info.Mode().IsRegular():
		return nil, console.Usagef("--sign: the key %s can't be read", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return nil, console.Usagef("--sign: others can use the key %s: chmod 600 %s, and if they may have, make another with release keygen", path, path)
	}
	text, err := io.ReadAll(io.LimitReader(f, largestKey))
	if err != nil {
		return nil, console.Usagef("--sign: the key %s can't be read", path)
	}
	return text, nil
}

// largestKey is more than any key takes.
const largestKey = 1 << 16

// newSigner reads a secret key; nil if none is asked for.
func newSigner(path string) (pipeline.Signer, error) {
	if path == "" {
		return nil, nil
	}
	text, err := readKey(path)
	if err != nil {
		return nil, err
	}
	key, err := minisign.DecryptKey(os.Getenv(passwordVariable), text)
	if !minisign.IsEncrypted(text) {
		err = key.UnmarshalText(text)
	}
	if err != nil {
		return nil, console.Usagef("--sign: %s is not a minisign secret key, or the password in %s is not its own", path, passwordVariable)
	}
	return signer{key}, nil
}

// publicKey reads a public key: from a file, or as its text.
func publicKey(keyOrPath string) (key minisign.PublicKey, err error) {
	text, err := os.ReadFile(keyOrPath)
	if err != nil {
		text = []byte(keyOrPath)
	}
	if err := key.UnmarshalText([]byte(strings.TrimSpace(string(text)))); err != nil {
		return key, console.Usagef("--key: neither a file nor the text of a minisign public key")
	}
	return key, nil
}

// signature checks the manifest's signature: by the key that the manifest names, which must be that of --key.
func (v *verifying) signature(context.Context, *app) error {
	wanted := v.flags.key != ""
	var key minisign.PublicKey
	if wanted {
		var err error
		if key, err = publicKey(v.flags.key); err != nil {
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

const keygenLong = `keygen makes a pair of keys to sign releases with, in the format of minisign (Ed25519): FILE, readable by its owner alone, and FILE.pub.
The secret key is encrypted where ` + passwordVariable + ` is set. Keys that minisign made serve as well.`

func (a *app) keygenCmd() *cobra.Command {
	return &cobra.Command{
		Use: "keygen FILE", Short: "Make a pair of keys to sign releases with", Long: keygenLong, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.keygen(args[0]) },
	}
}

func (a *app) keygen(path string) error {
	public, secret, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		return &pipeline.Error{Cause: pipeline.CauseInside, Code: "random", Message: "no random bytes"}
	}
	text, err := secret.MarshalText()
	if password := os.Getenv(passwordVariable); password != "" && err == nil {
		text, err = minisign.EncryptKey(password, secret)
	}
	if err != nil {
		return &pipeline.Error{Cause: pipeline.CauseInside, Code: "key", Message: "the key can't be written as text"}
	}
	if err := errors.Join(writeKey(path, text, 0o600), writeKey(path+".pub", []byte(public.String()+"\n"), 0o644)); err != nil {
		return err
	}
	return a.Printf("%s\n", public)
}

// writeKey writes a file that must not exist.
func writeKey(path string, text []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err == nil {
		_, err = f.Write(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return &pipeline.Error{Cause: pipeline.CauseOutput, Code: "key", Message: path + " can't be made; a key is never replaced"}
	}
	return nil
}
