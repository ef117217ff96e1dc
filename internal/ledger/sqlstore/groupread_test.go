//go:build unix

package sqlstore_test

import (
	"os"
	"testing"

	"github.com/dprelease/dprelease/internal/ledger"
)

// A ledger holds a secret: a group with other members may not read it, unless the ledger's name says that they share
// it.
func TestGroupMayNotReadTheSecret(t *testing.T) {
	asRoot(t)
	path := nested(t)
	must(t, os.Chown(path, 0, stranger))
	must(t, os.Chmod(path, 0o640))
	expect(t, reopen(t, "sqlite:"+path), ledger.ErrExposed, "chmod 600 PATH", path)
	must(t, os.Chmod(path, 0o600))
	expect(t, reopen(t, "sqlite:"+path), nil, "", path)
}
