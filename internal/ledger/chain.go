package ledger

import (
	"crypto/sha256"
	"encoding/binary"
)

// # The hash chain
//
// The hash of each entry covers the hash of the entry before it. So whoever keeps the hash of the newest entry can
// detect that an earlier entry was changed, removed or inserted.

// chain returns the hash of e if prev is the hash of the entry before it. It is the SHA-256 of a constant, prev, Seq
// and Schema (8 bytes each, big-endian), and Time, Kind and Body, each preceded by its length in 8 bytes.
func (e Entry) chain(prev Hash) Hash {
	b := append([]byte("dprelease ledger entry\x00"), prev[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(e.Seq))
	b = binary.BigEndian.AppendUint64(b, uint64(e.Schema))
	for _, field := range [][]byte{[]byte(e.TimeText()), []byte(e.Kind), e.Body} {
		b = binary.BigEndian.AppendUint64(b, uint64(len(field)))
		b = append(b, field...)
	}
	return sha256.Sum256(b)
}

// follows returns an error if e is not the next entry after head.
func (e Entry) follows(head Head) error {
	switch {
	case e.Seq != head.Seq+1:
		return &CorruptError{head.Seq + 1, "it is missing"}
	case e.Hash != e.chain(head.Hash):
		return &CorruptError{e.Seq, "its hash does not match"}
	case e.Schema < 1:
		return &CorruptError{e.Seq, "its schema version is not valid"}
	case e.Schema > Schema:
		return &NewerError{e.Seq}
	}
	return nil
}
