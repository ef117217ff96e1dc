// Package partial defines the format of partial aggregates: the incomplete exact answers that one shard of a run stores
// or sends over a network.
//
// A table can be aggregated in shards, each by its own process, started by any scheduler. Shard i of n reads the i-th
// of n ranges of the input's splits (row groups, or pieces of text files) and writes one part: a file that names its
// job and table and holds the state of the queries' accumulators. A later process merges the parts, bounds the rows of
// units and draws the noise. Exact answers are integers, so the result equals the result of one process, number for
// number.
//
// A part is as private as the input. It is encrypted and authenticated under the [Key] of the run; without the key only
// its length is visible.
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

// PartHeader describes the origin of a part: the run, the shard and the input's files. It is encrypted with the rest.
type PartHeader struct {
	// Program is the build of the program that made the part; only the same build reads it.
	Program string `json:"program"`
	// Run is the run fingerprint of the plan (pipeline.Plan.Fingerprint).
	Run string `json:"run"`
	// Shard is the number of this shard, from 1 to Of. It read the splits From to To-1. Splits are numbered from 0 over
	// all files.
	Shard int `json:"shard"`
	Of    int `json:"of"`
	From  int `json:"from"`
	To    int `json:"to"`
	// Partition is the number, from 1 to Partitions, of the partition of the privacy units whose rows the part holds; 0
	// if the part holds the rows of all units. Totals of queries without units are in the first partition.
	Partition  int `json:"partition,omitempty"`
	Partitions int `json:"partitions,omitempty"`
	// Bounded is set if all shards were merged and the contribution bounds applied to the units of this partition.
	Bounded bool `json:"bounded,omitempty"`
	// Files lists the input's files, as the shard found them. Schema is the schema of these files.
	Files  []File        `json:"files"`
	Schema []table.Field `json:"schema"`
	// Digests holds a keyed digest of each split that was read, made with the ledger's key for inputs.
	Digests [][]byte `json:"digests"`
	// Rows is the number of rows of the splits, including rows that were skipped by column statistics. Blanks is the
	// number of skipped blank lines in CSV files.
	Rows   int64 `json:"rows"`
	Blanks int64 `json:"blanks"`
}

// File describes a file of the input.
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

// Range returns the splits of a shard as a half-open interval from ≤ i < to. Shards are numbered from 1, splits from 0.
// Each shard gets consecutive splits; the numbers of splits differ by at most one.
func Range(shard, of, splits int) (from, to int) {
	at := func(i int) int { return int(int64(splits) * int64(i) / int64(of)) }
	return at(shard - 1), at(shard)
}

// maxBlock is the largest length in bytes of a header or of a block of rows. Reader rejects longer ones as damaged.
const maxBlock = 1 << 30

// Write writes a part: the header and the state of the accumulators, which are consumed. Errors: the errors of w and of
// the accumulators' scratch file.
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

// begin writes the header of a part and returns a writer that encrypts what follows.
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

// block writes the length of a text in 8 bytes, then the text.
func (e *encrypted) block(text []byte) error {
	if _, err := e.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text)))); err != nil {
		return err
	}
	_, err := e.Write(text)
	return err
}

// WritePartitions writes a part for each partition of the privacy units. A keyed hash of the unit chooses the
// partition, so that all shards write the rows of one unit to the same partition. The accumulators are consumed.
// Errors: as for Write.
func WritePartitions(to []io.Writer, k Key, s *PartHeader, all []*queries.Accumulator) error {
	b, err := k.buckets(len(to))
	if err != nil {
		return err
	}
	files := make([]*encrypted, len(to))
	for i, w := range to {
		of := *s
		if of.Partition, of.Partitions = i+1, len(to); i > 0 {
			of.Rows, of.Blanks = 0, 0 // only the first partition holds these numbers, so that merging counts them once
		}
		if files[i], err = begin(w, k, &of); err != nil {
			return err
		}
	}
	err = queries.SaveRows(all, b, min(blockBytes, maxBlocksBytes/len(to)), func(bucket int, block []byte) error {
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

// NewReader reads the header of a part. Errors: ErrFormat, ErrVersion, ErrOtherKey, ErrDamaged, or errors of r.
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

// block reads a text that is preceded by its length, and replaces the buffer's contents by it.
func (d *decrypted) block(text *bytes.Buffer) error {
	var length [8]byte
	if _, err := io.ReadFull(d, length[:]); err != nil {
		return readError(err, ErrDamaged)
	}
	n := binary.BigEndian.Uint64(length[:])
	if n > maxBlock {
		return ErrDamaged
	}
	text.Reset()
	if _, err := io.CopyN(text, d, int64(n)); err != nil {
		return readError(err, ErrDamaged)
	}
	return nil
}

// sound reports whether the numbers of a header are possible and consistent with each other.
func (s *PartHeader) sound() bool {
	splits := 0
	for _, f := range s.Files {
		if f.Splits < 0 || f.Splits > maxSplits-splits {
			return false
		}
		splits += f.Splits
	}
	if s.Partition < 0 || s.Partition > s.Partitions || s.Partition == 0 && (s.Partitions > 0 || s.Bounded) ||
		s.Bounded && s.Of != 1 {
		return false
	}
	if s.Of < 1 || s.Of > maxSplits || s.Shard < 1 || s.Shard > s.Of || s.Rows < 0 || s.Blanks < 0 {
		return false
	}
	from, to := Range(s.Shard, s.Of, splits)
	return s.From == from && s.To == to && len(s.Digests) == to-from
}

// SameTable reports whether two headers describe the same files with the same columns.
func (s *PartHeader) SameTable(o *PartHeader) bool {
	return slices.Equal(s.Schema, o.Schema) && slices.EqualFunc(s.Files, o.Files, func(a, b File) bool {
		return a.Name == b.Name && a.Splits == b.Splits && a.Bytes == b.Bytes && bytes.Equal(a.Footer, b.Footer) &&
			a.Version == b.Version
	})
}

// maxSplits is the largest number of splits, and of shards, that a header may state. It rejects forged headers: no
// real table has so many.
const maxSplits = 1 << 31

// Splits returns the number of splits of all files.
func (s *PartHeader) Splits() int {
	n := 0
	for _, f := range s.Files {
		n += f.Splits
	}
	return n
}

// Load adds the part's state to accumulators, which must belong to the part's run and schema, and reads the part to its
// end. If Load returns an error, the accumulators may hold unauthenticated state and must be discarded. Errors:
// ErrDamaged, and errors of the source and of the accumulators' scratch file.
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

// loadPartition adds the state of a part that WritePartitions wrote.
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
