package arrow

import (
	"crypto/sha256"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dprelease/dprelease/io/source/fault"
)

// A column of an Arrow dictionary type holds codes. The values for the codes are in dictionary batches, which are
// messages of their own beside the record batches.

// readDictionary reads a dictionary batch into the dictionary of requested column i, and adds the batch's digest to the
// split's digest.
func (s *batchScan) readDictionary(m *message, i int) error {
	c := &s.file.columns[s.used[i]]
	head := m.table.table(slotHeader)
	b, err := m.records(head.table(1))
	if err != nil {
		return err
	}
	t, ok := c.typ.(*arrow.DictionaryType)
	if !ok {
		return unmatched()
	}
	parts, err := b.arrays([]arrow.DataType{t.ValueType})
	if err != nil {
		return err
	}
	build := builder{from: s.origin(), batch: b, exact: c.exact}
	r, err := build.reader(&parts[0], nil)
	if err != nil {
		return err
	}
	if s.yield != nil {
		if s.dicts[i], err = grow(s.dicts[i], r, head.u8(2) != 0); err != nil {
			return err
		}
	}
	meta := sha256.Sum256(m.meta)
	s.h.Write(meta[:])
	return s.sums(r)
}

// readFileDictionaries loads the dictionaries of all requested columns of a file.
func (s *batchScan) readFileDictionaries() error {
	for i, at := range s.used {
		if !s.file.columns[at].isCoded() {
			continue
		}
		if err := s.guardColumn(i, func() error { return s.loadFileDictionary(i, at) }); err != nil {
			return err
		}
	}
	return nil
}

// loadFileDictionary loads the dictionary of requested column i, which is column at of the file. It reads the
// dictionary only if no other split has read it.
func (s *batchScan) loadFileDictionary(i, at int) error {
	s.file.known.mu.Lock()
	defer s.file.known.mu.Unlock()
	k, ok := s.file.known.of[at]
	if !ok || s.yield == nil {
		var err error
		if k, err = s.readFileDictionary(i, at); err != nil {
			return err
		}
	}
	if s.yield != nil {
		s.file.known.of[at] = k
	}
	s.dicts[i] = k.dict
	s.h.Write(k.digest)
	return nil
}

// readFileDictionary reads the dictionary of a column of a file: one dictionary batch, and the batches that append to
// it.
func (s *batchScan) readFileDictionary(i, at int) (knownDictionary, error) {
	outer := s.h
	s.h = sha256.New()
	defer func() { s.h = outer }()
	first := true
	for _, b := range s.file.dicts {
		if b.id != s.file.columns[at].dictionary {
			continue
		}
		m, err := b.message(s.f, headDictionary)
		if err != nil {
			return knownDictionary{}, err
		}
		if delta := m.table.table(slotHeader).u8(2) != 0; delta == first {
			return knownDictionary{}, fault.New(fault.CodeDamaged, "a file has a dictionary twice, or none to add to")
		}
		if err := s.readDictionary(m, i); err != nil {
			return knownDictionary{}, err
		}
		first = false
	}
	return knownDictionary{s.dicts[i], s.h.Sum(nil)}, nil
}

// readStreamDictionary reads a dictionary batch of a stream for all requested columns that use the dictionary.
func (s *batchScan) readStreamDictionary(m *message) error {
	id := m.table.table(slotHeader).i64(0)
	for i, at := range s.used {
		if c := &s.file.columns[at]; c.isCoded() && c.dictionary == id {
			if err := s.guardColumn(i, func() error { return s.readDictionary(m, i) }); err != nil {
				return err
			}
		}
	}
	return nil
}
