package sqlstore

import (
	"encoding/binary"
	"io"

	"github.com/dprelease/dprelease/internal/regular"
)

// IsLedger reports whether the file at path is a SQLite ledger, according to its header.
func IsLedger(path string) bool {
	const idAt = 68 // offset of the application's number in SQLite's header
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var header [idAt + 4]byte
	if _, err := io.ReadFull(f, header[:]); err != nil {
		return false
	}
	return string(header[:16]) == "SQLite format 3\x00" && binary.BigEndian.Uint32(header[idAt:]) == applicationID
}
