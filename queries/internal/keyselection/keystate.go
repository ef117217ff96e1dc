package keyselection

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/internal/state"
)

// maxKeyLength is an upper bound on the length of a key in bytes.
const maxKeyLength = 1 << 20

// SaveState writes the digest and the count of each key, then the keys.
func (a *Counts) SaveState(w *state.Writer) {
	a.foldRows()
	w.Uint(a.units.size())
	err := a.units.each(func(e *entry, numbers int128.Slice) {
		w.Bytes(e[bounding.CellBytes:])
		w.Uint64(uint64(rowsOf(numbers.At(0))))
	})
	w.Fail(err)
	w.Uint(a.names.size())
	for _, key := range a.names.held {
		w.Bytes([]byte(key))
	}
	for i := range partitions {
		w.Fail(a.names.eachWritten(i, w.Bytes))
	}
	w.Fail(a.failed)
}

// LoadState implements [accumulate.Partial].
func (a *Counts) LoadState(r *state.Reader) error {
	for left := r.Uint(); left > 0 && r.Err() == nil; left-- {
		d, n := r.Bytes(sha256.Size), r.Uint64()
		if len(d) != sha256.Size || n > accumulate.MaxRows {
			return r.Fail()
		}
		a.add((*digest)(d), int64(n))
		if a.makeRoom(); a.failed != nil {
			return a.failed
		}
	}
	for left := r.Uint(); left > 0 && r.Err() == nil; left-- {
		key := string(r.Bytes(maxKeyLength))
		if a.keys.check(key) != nil {
			return r.Fail()
		}
		a.names.add(sha256.Sum256([]byte(key)), key)
		if a.makeRoom(); a.failed != nil {
			return a.failed
		}
	}
	return r.Err()
}

// check returns an error if the text is not a key that text can return.
func (k *Keying) check(key string) error {
	discovered := 0
	for i := range k.parts {
		var err error
		axis := k.parts[i].Axis
		if axis < 0 {
			if !k.columns[discovered].values.begins(key) {
				return errKey
			}
			_, key, err = cutLabel(key)
			discovered++
		} else {
			rest := []string{key}
			_, err = cutCodes(rest, k.sizes[axis])
			key = rest[0]
		}
		if err != nil {
			return err
		}
	}
	if key != "" {
		return errKey
	}
	return nil
}

// begins reports whether the rest of a key begins with an encoded value of this type.
func (c *encoder) begins(key string) bool {
	if key == "" || key[0] != byte(c.kind.Kind) {
		return false
	}
	if c.kind.Kind != table.Timestamp {
		return true
	}
	instant := byte(0)
	if c.kind.Zone == table.UTC {
		instant = 1
	}
	return len(key) > 10 && key[1] == instant && binary.BigEndian.Uint64([]byte(key[2:10])) == uint64(c.kind.Unit)
}
