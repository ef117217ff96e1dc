// Package partial defines the format in which incomplete exact answers, called partial aggregates, are stored or sent
// over a network.
//
// A table can be aggregated in shards, each by its own process, started by any scheduler. Shard i of n reads the i-th
// part of the input's splits and writes one part: a file that names its job and table and holds the state of the
// queries' accumulators. A later process merges the parts, bounds the rows of units and draws the noise. Exact answers
// are integers, so the result equals the result of one process, number for number.
//
// A part is as private as the input. It is encrypted and authenticated under the [Key] of the run (stream.go); without
// the key only its length is visible.
package partial

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries"
)

// PartHeader describes where a part comes from. It is encrypted with the rest.
type PartHeader struct {
	// Program is the build of the program that made the part; only the same build reads it.
	Program string `json:"program"`
	// Run is the run fingerprint of the plan (pipeline.Plan.Fingerprint).
	Run string `json:"run"`
	// Shard, from 1, is the number of this shard, of Of shards. It read the splits From to To-1, counted over all files.
	Shard int `json:"shard"`
	Of    int `json:"of"`
	From  int `json:"from"`
	To    int `json:"to"`
	// Partition, from 1, is the partition of the units whose rows the part has, of Partitions; 0 if the part has the rows
	// of all units. Answers that need no units are in the first partition.
	Partition  int `json:"partition,omitempty"`
	Partitions int `json:"partitions,omitempty"`
	// Bounded is set if the part merges all shards, and the units of its partition are bounded.
	Bounded bool `json:"bounded,omitempty"`
	// Files are the input's files, as the shard found them. Schema is the schema of these files.
	Files  []File        `json:"files"`
	Schema []table.Field `json:"schema"`
	// Digests are the keyed digests of the splits that were read, under the ledger's key for inputs.
	Digests [][]byte `json:"digests"`
	// Rows is the number of rows of the splits, including rows that were skipped by statistics. Blanks is the number of
	// skipped lines in CSV files.
	Rows   int64 `json:"rows"`
	Blanks int64 `json:"blanks"`
}

// File is a file of the input.
type File struct {
	// Name is the file's name without its folder.
	Name   string `json:"name"`
	Splits int    `json:"splits"`
	// Bytes is the size of the file.
	Bytes int64 `json:"bytes"`
	// Footer is a digest of the file's metadata about its rows; nil if it has none.
	Footer []byte `json:"footer,omitempty"`
	// Version is the object's version in an object store; "" for a local file.
	Version string `json:"version,omitempty"`
}

// Range returns the splits from ≤ i < to of a shard, which are numbered from 1. Each shard gets neighbouring splits, of
// the same number up to one.
func Range(shard, of, splits int) (from, to int) {
	at := func(i int) int { return int(int64(splits) * int64(i) / int64(of)) }
	return at(shard - 1), at(shard)
}

// mostBlock exceeds the length in bytes of any header and of any block of rows.
const mostBlock = 1 << 30

// Write writes a part: the header and the state of the accumulators, which cannot be used afterwards. Errors: the
// errors of w and of the accumulators' scratch file.
func Write(w io.Writer, k Key, s *PartHeader, all []*queries.Accumulator) error {
	e, err := begin(w, k, s)
	if err != nil {
		return err
	}
	if err := queries.Save(all, e); err != nil {
		return err
	}
	return e.Close()
}

// begin writes the header of a part, and returns the writer that encrypts the rest.
func begin(w io.Writer, k Key, s *PartHeader) (*encrypted, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	e, err := newEncrypted(w, k)
	if err != nil {
		return nil, err
	}
	if err := e.block(text); err != nil {
		return nil, err
	}
	return e, nil
}

// block writes the length of a text, and the text.
func (e *encrypted) block(text []byte) error {
	if _, err := e.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text)))); err != nil {
		return err
	}
	_, err := e.Write(text)
	return err
}

// WritePartitions writes a part for each partition of the units: the rows of a unit are all in one, which the run's key
// chooses, whatever the shard. The accumulators are spent. It returns the errors of Write.
func WritePartitions(to []io.Writer, k Key, s *PartHeader, all []*queries.Accumulator) error {
	b, err := k.buckets(len(to))
	if err != nil {
		return err
	}
	files := make([]*encrypted, len(to))
	for i, w := range to {
		of := *s
		if of.Partition, of.Partitions = i+1, len(to); i > 0 {
			of.Rows, of.Blanks = 0, 0 // the first partition states them for all
		}
		if files[i], err = begin(w, k, &of); err != nil {
			return err
		}
	}
	err = queries.SaveRows(all, b, min(blockBytes, mostBlocks/len(to)), func(bucket int, block []byte) error {
		return files[bucket].block(block)
	})
	if err != nil {
		return err
	}
	for i, e := range files {
		if err := e.block(nil); err != nil {
			return err
		}
		if i == 0 {
			if err := queries.SaveTotals(all, e); err != nil {
				return err
			}
		}
		if err := e.Close(); err != nil {
			return err
		}
	}
	return nil
}

// Reader reads one part.
type Reader struct {
	PartHeader
	from *decrypted
}

// NewReader reads the header of a part. Errors are ErrFormat, ErrVersion, ErrOtherKey, ErrDamaged, or errors of r.
func NewReader(r io.Reader, k Key) (*Reader, error) {
	d, err := newDecrypted(r, k)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := d.block(&text); err != nil {
		return nil, err
	}
	p := &Reader{from: d}
	if json.Unmarshal(text.Bytes(), &p.PartHeader) != nil || !p.sound() {
		return nil, ErrDamaged
	}
	return p, nil
}

// block reads a text that begins with its length.
func (d *decrypted) block(text *bytes.Buffer) error {
	var length [8]byte
	if _, err := io.ReadFull(d, length[:]); err != nil {
		return readError(err, ErrDamaged)
	}
	n := binary.BigEndian.Uint64(length[:])
	if n > mostBlock {
		return ErrDamaged
	}
	text.Reset()
	if _, err := io.CopyN(text, d, int64(n)); err != nil {
		return readError(err, ErrDamaged)
	}
	return nil
}

// sound reports whether the numbers of a header are possible for a shard.
func (s *PartHeader) sound() bool {
	splits := 0
	for _, f := range s.Files {
		if f.Splits < 0 || f.Splits > mostSplits-splits {
			return false
		}
		splits += f.Splits
	}
	if s.Partition < 0 || s.Partition > s.Partitions || s.Partition == 0 && (s.Partitions > 0 || s.Bounded) ||
		s.Bounded && s.Of != 1 {
		return false
	}
	if s.Of < 1 || s.Of > mostSplits || s.Shard < 1 || s.Shard > s.Of || s.Rows < 0 || s.Blanks < 0 {
		return false
	}
	from, to := Range(s.Shard, s.Of, splits)
	return s.From == from && s.To == to && len(s.Digests) == to-from
}

// SameTable reports whether two headers are of the same files and columns.
func (s *PartHeader) SameTable(o *PartHeader) bool {
	return slices.Equal(s.Schema, o.Schema) && slices.EqualFunc(s.Files, o.Files, func(a, b File) bool {
		return a.Name == b.Name && a.Splits == b.Splits && a.Bytes == b.Bytes && bytes.Equal(a.Footer, b.Footer) &&
			a.Version == b.Version
	})
}

// mostSplits is the largest number of splits, and of shards, that a header may state. No real table has so many.
const mostSplits = 1 << 31

// Splits returns the number of splits of all files.
func (s *PartHeader) Splits() int {
	n := 0
	for _, f := range s.Files {
		n += f.Splits
	}
	return n
}

// Load adds the state to accumulators, which must be of the part's run and schema, and reads the part to its end. The
// added state is authentic only if Load returns no error. Errors are ErrDamaged and errors of the source and the
// accumulators' spill.
func (p *Reader) Load(all []*queries.Accumulator) error {
	load := p.loadPartition
	if p.Partitions == 0 || p.Bounded {
		load = func(all []*queries.Accumulator) error { return queries.Load(all, p.from) }
	}
	if err := load(all); err != nil {
		if errors.Is(err, queries.ErrState) {
			return ErrDamaged
		}
		return err
	}
	return p.from.end()
}

// loadPartition adds the part that WritePartitions wrote for one partition.
func (p *Reader) loadPartition(all []*queries.Accumulator) error {
	var block bytes.Buffer
	for {
		if err := p.from.block(&block); err != nil {
			return err
		}
		if block.Len() == 0 {
			break
		}
		if err := queries.LoadRows(all, block.Bytes()); err != nil {
			return err
		}
	}
	if p.Partition > 1 {
		return nil
	}
	return queries.LoadTotals(all, p.from)
}
