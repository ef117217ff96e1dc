// Package signing signs manifests with minisign keys. It also is the verb keygen, which makes such keys.
package signing

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"

	"aead.dev/minisign"
	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
)

// PasswordVariable is the environment variable with the password of an encrypted key.
const PasswordVariable = "DPRELEASE_SIGN_PASSWORD"

// signer signs with a minisign key (Ed25519).
type signer struct{ key minisign.PrivateKey }

// Format returns the format of the signatures.
func (s signer) Format() string { return "minisign" }

// PublicKey returns the public key in minisign's format.
func (s signer) PublicKey() string { return publicText(s.key) }

// Sign returns the contents of the signature file.
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

// CheckSigned returns an error if a release that a run repeats is not signed with the key of s, as --sign promises.
func CheckSigned(dir string, s pipeline.Signer) error {
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
			Cause: pipeline.CauseOutput, Code: "altered", Message: "the signature of the release in " + console.Here(dir) +
				" was changed",
			Hint: "restore " + sink.SignatureName + " from a copy",
		}
	}
	return nil
}

// readKey reads the file of a secret key.
func readKey(path string) ([]byte, error) {
	return console.ReadKey(path, largestKey, "--sign: the key %s can't be read: %s",
		"--sign: %s can use the key %s: %s, and "+
			"if somebody may have used it, make another with release keygen")
}

// largestKey is the maximum length of a key file, in bytes.
const largestKey = 1 << 16

// NewSigner reads a secret key and returns its signer; nil if path is "".
func NewSigner(path string) (pipeline.Signer, error) {
	if path == "" {
		return nil, nil
	}
	text, err := readKey(path)
	if err != nil {
		return nil, err
	}
	key, err := minisign.DecryptKey(os.Getenv(PasswordVariable), text)
	if !minisign.IsEncrypted(text) {
		err = key.UnmarshalText(text)
	}
	if err != nil {
		return nil, console.Usagef("--sign: %s is not a minisign secret key, or the password in %s is wrong", path,
			PasswordVariable)
	}
	return signer{key}, nil
}

// PublicKey parses a public key. keyOrPath is the key itself or the path of its file.
func PublicKey(keyOrPath string) (key minisign.PublicKey, err error) {
	text, unread := regular.ReadFile(keyOrPath, largestKey)
	if unread != nil {
		text = []byte(keyOrPath)
	}
	switch err := key.UnmarshalText([]byte(strings.TrimSpace(string(text)))); {
	case err != nil && unread != nil && !errors.Is(unread, fs.ErrNotExist):
		return key, console.Usagef("--key: the file %s can't be read: %s", keyOrPath, regular.Reason(unread))
	case err != nil && unread == nil:
		return key, console.Usagef("--key: the file %s holds no minisign public key: name the file that ends in .pub",
			keyOrPath)
	case err != nil:
		return key, console.Usagef("--key: neither a file nor the text of a minisign public key")
	}
	return key, nil
}

const keygenLong = `keygen makes a pair of keys to sign releases with, in the format of minisign (Ed25519): FILE,
readable by its owner alone, and FILE.pub. The secret key is encrypted if` + PasswordVariable + ` is set. Keys that minisign made serve as well.`

// KeygenCommand returns the verb keygen.
func KeygenCommand(c *console.Console) *cobra.Command {
	return &cobra.Command{
		Use: "keygen FILE", Short: "Make a pair of keys to sign releases with", Long: keygenLong, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return keygen(c, args[0]) },
	}
}

func keygen(c *console.Console, path string) error {
	public, secret, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		return &pipeline.Error{Cause: pipeline.CauseInside, Code: "random", Message: "no random bytes"}
	}
	text, err := secret.MarshalText()
	if password := os.Getenv(PasswordVariable); password != "" && err == nil {
		text, err = minisign.EncryptKey(password, secret)
	}
	if err != nil {
		return &pipeline.Error{Cause: pipeline.CauseInside, Code: "key", Message: "the key can't be written as text"}
	}
	if err := writeKey(path, text, 0o600); err != nil {
		return err
	}
	if err := writeKey(path+".pub", []byte(public.String()+"\n"), 0o644); err != nil {
		return errors.Join(err, os.Remove(path)) // remove the secret key: nobody has seen its public key
	}
	return c.Printf("%s\n", public)
}

// writeKey writes a key to a new file. It fails if the file exists.
func writeKey(path string, text []byte, mode fs.FileMode) error {
	err := regular.Create(path, text, mode)
	if errors.Is(err, fs.ErrExist) {
		return &pipeline.Error{Cause: pipeline.CauseOutput, Code: "key", Message: console.Here(path) + " is there already, " +
			"and a key is never replaced", Hint: "name another file; or delete both files of a key that was never used"}
	} else if err != nil {
		return console.WriteError(path, err)
	}
	return nil
}
