package partial

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dprelease/dprelease/queries"
)

// Messages of a shuffle
//
// An engine that shuffles (Apache Beam) need not bring all rows of units together in one process: a keyed hash of the
// unit chooses one of some buckets, and each bucket is bounded separately. Three kinds of messages cross the wire, each
// encrypted separately:
//
//	packed  the totals of a range of splits, without the rows of units: its header and the answers
//	rows    a block of rows of units of one bucket, and which
//	bounded the answers that the rows of a bucket make when their units are bounded, and of how many blocks
//
// Packed messages state how many blocks they sent to each bucket, and bounded messages how many they took in. The
// process that adds the answers up compares these numbers: so a message that was lost, duplicated or sent to another
// bucket is an error, whatever the engine promises.

// Message is a decrypted message.
type Message struct {
	// Packed is the header of a packed message; nil for other kinds.
	Packed *Packed
	// Bucket is set for messages of rows and for bounded messages, Blocks for bounded messages only.
	Bucket int
	Blocks int64
	rest   []byte
	kind   byte // the last byte of a message, so that it can be appended to a block in the block's memory
}

// Packed is the header of a packed message: a PartHeader whose From and To are any range, and the number of blocks
// for each bucket.
type Packed struct {
	PartHeader
	Blocks []int64 `json:"blocks"`
}

const (
	packedKind  = 'p'
	rowsKind    = 'r'
	boundedKind = 'b'
)

// unitHash hashes units that have texts under a key that follows from the run's.
type unitHash struct {
	block cipher.Block
	state [aes.BlockSize]byte
}

func (h *unitHash) of(unit []byte) uint64 {
	clear(h.state[:])
	for len(unit) > 0 {
		for i, b := range unit[:min(len(unit), aes.BlockSize)] {
			h.state[i] ^= b
		}
		h.block.Encrypt(h.state[:], h.state[:])
		unit = unit[min(len(unit), aes.BlockSize):]
	}
	return binary.BigEndian.Uint64(h.state[:])
}

// buckets chooses one of n buckets for each unit, by hashes under keys that follow from the run's: the same on all
// workers, and spread evenly whatever the units are.
func (k Key) buckets(n int) (queries.Buckets, error) {
	key, err := k.derive(nil, "buckets")
	if err != nil {
		return queries.Buckets{}, err
	}
	words, err := k.derive(nil, "buckets of words")
	if err != nil {
		return queries.Buckets{}, err
	}
	h := &unitHash{}
	h.block, err = aes.NewCipher(key)
	return queries.NewBuckets(n, [16]byte(words), h.of), err
}

// blockBytes is about the length of a block of rows of one bucket.
const blockBytes = 512 << 10

// mostBlocks limits the blocks of all partitions that are written at once, in bytes.
const mostBlocks = 16 * blockBytes

// Pack passes the contents of accumulators to emit as encrypted messages: rows of units to their buckets, and last the
// packed message to bucket n. The accumulators are spent.
func (k Key) Pack(s PartHeader, all []*queries.Accumulator, n int, emit func(bucket int, message []byte)) error {
	b, err := k.buckets(n)
	if err != nil {
		return err
	}
	said := Packed{s, make([]int64, n)}
	err = queries.SaveRows(all, b, blockBytes, func(bucket int, block []byte) error {
		message, err := k.Encrypt(append(binary.BigEndian.AppendUint32(block, uint32(bucket)), rowsKind))
		if err == nil {
			said.Blocks[bucket]++
			emit(bucket, message)
		}
		return err
	})
	if err != nil {
		return err
	}
	text, err := json.Marshal(said)
	if err != nil {
		return err
	}
	message, err := k.answers(packedKind, append(binary.BigEndian.AppendUint64(nil, uint64(len(text))), text...), all)
	if err == nil {
		emit(n, message)
	}
	return err
}

// answers returns a message of a head and answers.
func (k Key) answers(kind byte, head []byte, all []*queries.Accumulator) ([]byte, error) {
	var out bytes.Buffer
	out.Write(head)
	if err := queries.SaveTotals(all, &out); err != nil {
		return nil, err
	}
	out.WriteByte(kind)
	return k.Encrypt(out.Bytes())
}

// Bounded bounds the units of accumulators that read some blocks of a bucket, and returns their message. The
// accumulators are spent.
func (k Key) Bounded(bucket int, blocks int64, all []*queries.Accumulator) ([]byte, error) {
	if err := queries.Bound(all); err != nil {
		return nil, err
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(bucket))
	return k.answers(boundedKind, binary.BigEndian.AppendUint64(head, uint64(blocks)), all)
}

// Opener decrypts messages, each into the memory of the one before.
type Opener struct {
	key   Key
	plain []byte
}

// NewOpener returns an opener of the messages of a run.
func NewOpener(k Key) *Opener { return &Opener{key: k} }

// Message decrypts a message, which can be used until the next one is decrypted. Errors are ErrFormat, ErrVersion,
// ErrOtherKey and ErrDamaged.
func (o *Opener) Message(encrypted []byte) (*Message, error) {
	var err error
	if o.plain, err = o.key.decrypt(o.plain[:0], encrypted); err != nil {
		return nil, err
	}
	last := len(o.plain) - 1
	if last < 0 {
		return nil, ErrDamaged
	}
	m := &Message{kind: o.plain[last], rest: o.plain[:last]}
	switch m.kind {
	case rowsKind:
		if last -= 4; last < 0 {
			return nil, ErrDamaged
		}
		m.Bucket, m.rest = int(binary.BigEndian.Uint32(m.rest[last:])), m.rest[:last]
		return m, nil
	case boundedKind:
		if len(m.rest) < 12 {
			return nil, ErrDamaged
		}
		m.Bucket, m.Blocks = int(binary.BigEndian.Uint32(m.rest)), int64(binary.BigEndian.Uint64(m.rest[4:]))
		m.rest = m.rest[12:]
		return m, nil
	case packedKind:
		if len(m.rest) < 8 || binary.BigEndian.Uint64(m.rest) > uint64(len(m.rest)-8) {
			return nil, ErrDamaged
		}
		end := 8 + binary.BigEndian.Uint64(m.rest)
		m.Packed = &Packed{}
		if json.Unmarshal(m.rest[8:end], m.Packed) != nil || m.Packed.Rows < 0 || m.Packed.Blanks < 0 {
			return nil, ErrDamaged
		}
		m.rest = m.rest[end:]
		return m, nil
	}
	return nil, ErrDamaged
}

// LoadRows adds the block of a message of rows of a bucket. If the message belongs to another bucket, the error is
// ErrLost.
func (m *Message) LoadRows(all []*queries.Accumulator, bucket int) error {
	switch {
	case m.kind != rowsKind:
		return ErrDamaged
	case m.Bucket != bucket:
		return fmt.Errorf("bucket %d: %w", bucket, ErrLost)
	}
	return stateError(queries.LoadRows(all, m.rest))
}

// LoadTotals adds the answers of a packed or bounded message.
func (m *Message) LoadTotals(all []*queries.Accumulator) error {
	if m.kind == rowsKind {
		return ErrDamaged
	}
	from := bytes.NewReader(m.rest)
	if err := queries.LoadTotals(all, from); err != nil {
		return stateError(err)
	}
	if from.Len() > 0 {
		return ErrDamaged
	}
	return nil
}

func stateError(err error) error {
	if errors.Is(err, queries.ErrOther) {
		return fmt.Errorf("other aggregations: %w", ErrLost)
	}
	if errors.Is(err, queries.ErrState) {
		return ErrDamaged
	}
	return err
}

// Tally compares the headers of a shuffle's messages.
type Tally struct {
	packed  []*Packed
	sent    map[int]int64
	bounded map[int]int64
}

// ErrLost means that messages of a shuffle were lost, duplicated or sent to another bucket.
var ErrLost = errors.New("messages between workers were lost, duplicated or sent to the wrong worker")

// Add counts a packed or bounded message.
func (t *Tally) Add(m *Message) error {
	if t.sent == nil {
		t.sent, t.bounded = map[int]int64{}, map[int]int64{}
	}
	if m.Packed != nil {
		if len(t.packed) > 0 && (m.Packed.Run != t.packed[0].Run || m.Packed.Program != t.packed[0].Program) {
			return ErrLost // its answers belong to other queries
		}
		t.packed = append(t.packed, m.Packed)
		for i, n := range m.Packed.Blocks {
			t.sent[i] += n
		}
		return nil
	}
	if _, twice := t.bounded[m.Bucket]; twice {
		return fmt.Errorf("bucket %d: %w", m.Bucket, ErrLost)
	}
	t.bounded[m.Bucket] = m.Blocks
	return nil
}

// Header returns the common header of all packed messages, as shard 1 of 1. It is an error if a split is missing
// or occurs twice.
func (t *Tally) Header() (*PartHeader, error) {
	for i, n := range t.sent {
		if t.bounded[i] != n {
			return nil, fmt.Errorf("bucket %d: %w", i, ErrLost)
		}
	}
	if len(t.packed) == 0 || len(t.bounded) > len(t.sent) {
		return nil, ErrLost
	}
	whole := t.packed[0].PartHeader
	whole.Shard, whole.Of, whole.From, whole.To = 1, 1, 0, whole.Splits()
	whole.Digests, whole.Rows, whole.Blanks = make([][]byte, whole.To), 0, 0
	for _, p := range t.packed {
		if p.From < 0 || p.To > whole.To || p.To-p.From != len(p.Digests) || !p.SameTable(&whole) {
			return nil, ErrLost
		}
		for i, d := range p.Digests {
			if whole.Digests[p.From+i] != nil || d == nil {
				return nil, ErrLost
			}
			whole.Digests[p.From+i] = d
		}
		whole.Rows += p.Rows
		whole.Blanks += p.Blanks
	}
	for _, d := range whole.Digests {
		if d == nil {
			return nil, ErrLost
		}
	}
	return &whole, nil
}
