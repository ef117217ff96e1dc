package mechanism

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"
)

// fingerprintKey is the smallest length of a key, in bytes.
const fingerprintKey = 16

// Fingerprint returns a keyed digest of exact answers: HMAC-SHA256 of their quanta, sizes and cells. A holder of the
// key can see whether an input would give the same answers again; others learn nothing. The answers can still be
// noised. The key is a secret of at least 16 bytes.
//
// If some answers are not chosen yet ([HideChoice]), the digest covers the data from which all of them follow.
//
// Errors: ErrKey if the key is shorter; ErrEmpty; ErrSpent; errors of answers that are on disk.
func Fingerprint(key []byte, exacts ...Exact) ([]byte, error) {
	if len(key) < fingerprintKey {
		return nil, ErrKey
	}
	h := hmac.New(sha256.New, key)
	for _, e := range exacts {
		if err := e.write(h); err != nil {
			return nil, err
		}
	}
	return h.Sum(nil), nil
}

// write writes the answers to a hash: the kind and the size of each, and the indices and values of the cells that are
// not 0.
func (e Exact) write(h hash.Hash) error {
	if e.keyed != nil {
		return e.writeKeys(h)
	}
	if e.choice != nil {
		return e.writeChoice(h)
	}
	if e.selected != nil {
		return e.writeForKeys(h)
	}
	if e.open == nil {
		return ErrEmpty
	}
	s := e.open()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		return ErrSpent
	}
	writeWords(h, 'c', uint64(int64(s.quantum)), uint64(s.size))
	p := s.held
	for i := range p.cells.Len() {
		at := i
		if p.at != nil {
			at = p.at[i]
		}
		if x := p.cells.At(i); x.High != 0 || x.Low != 0 {
			writeWords(h, uint64(at), uint64(x.High), x.Low)
		}
	}
	writeWords(h, uint64(s.size))
	return nil
}

func (e Exact) writeKeys(h hash.Hash) error {
	keys, counts, err := e.peekKeys()
	if err != nil {
		return err
	}
	writeWords(h, 'k', uint64(len(keys)))
	for i, k := range keys {
		writeWords(h, uint64(len(k)), uint64(counts[i]))
		_, _ = h.Write([]byte(k)) // a hash returns no error
	}
	return nil
}

// writeChoice writes the data from which the answers for all choices follow.
func (e Exact) writeChoice(h hash.Hash) error {
	c := e.choice()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == nil {
		return ErrSpent
	}
	writeWords(h, 'd')
	return c.state(h)
}

// writeForKeys writes the answers of every key that can still be selected.
func (e Exact) writeForKeys(h hash.Hash) error {
	k := e.selected()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.answers == nil {
		return ErrSpent
	}
	among, err := k.selectable(nil)
	if err != nil {
		return err
	}
	names, cells, quantum, err := k.answers.All(among)
	if err != nil {
		return err
	}
	writeWords(h, 'n', math.Float64bits(quantum))
	for i, name := range names {
		if x := cells.At(i); x.High != 0 || x.Low != 0 {
			writeWords(h, uint64(len(name)))
			_, _ = h.Write([]byte(name)) // a hash returns no error
			writeWords(h, uint64(x.High), x.Low)
		}
	}
	writeWords(h, math.MaxUint64)
	return nil
}

func writeWords(h hash.Hash, words ...uint64) {
	var b [8]byte
	for _, w := range words {
		binary.BigEndian.PutUint64(b[:], w)
		_, _ = h.Write(b[:]) // a hash returns no error
	}
}
