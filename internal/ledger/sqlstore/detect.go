package sqlstore

import (
	"encoding/binary"
	"io"
	"path/filepath"
	"strings"

	"github.com/dprelease/dprelease/internal/regular"
)

// IsLedger reports whether the file at path is a SQLite ledger, according to its header. An unfinished copy of a ledger
// is not one, nor is a draft: both lie beside ledgers while a command copies one, or after it was killed.
func IsLedger(path string) bool {
	const (
		versionAt = 60 // offset of user_version in SQLite's header
		idAt      = 68 // offset of application_id
	)
	if isDraft(path) {
		return false
	}
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var header [idAt + 4]byte
	if _, err := io.ReadFull(f, header[:]); err != nil {
		return false
	}
	version := int32(binary.BigEndian.Uint32(header[versionAt:]))
	return string(header[:16]) == "SQLite format 3\x00" && binary.BigEndian.Uint32(header[idAt:]) == applicationID &&
		version != incoming
}

// draft returns the path of the file in which the ledger at path is made, until it is complete.
func draft(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new")
}

func isDraft(path string) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, ".") && strings.HasSuffix(name, ".new")
}
