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
// Apache Beam shuffles rows between workers, so no process needs to hold all rows of all units: a keyed hash of the
// unit chooses one of n buckets, and a worker applies the contribution bounds to one bucket at a time. Workers send
// three kinds of messages, each encrypted separately:
//
//	packed  the totals of a range of splits, without the rows of units
//	rows    a block of rows of the units of one bucket, with the bucket's number
//	bounded the totals of one bucket after its units were bounded, with the number of blocks that were read
//
// A packed message states how many blocks were sent to each bucket, and a bounded message how many were received. The
// process that adds up the totals compares these numbers, so it detects a message that was lost, duplicated or sent to
// the wrong bucket.

// Message is a decrypted message.
type Message struct {
	// Packed is the header of a packed message; nil for other kinds.
	Packed *Packed
	// Bucket is set for messages of rows and for bounded messages. Blocks is set for bounded messages: the number of
	// blocks of rows that the bucket received.
	Bucket int
	Blocks int64
	rest   []byte
	kind   byte // the kind is the message's last byte: Pack can append it to a block of rows without a copy
}

// Packed is the header of a packed message: a PartHeader in which From and To may be any range, and the number of
// blocks that were sent to each bucket.
type Packed struct {
	PartHeader
	Blocks []int64 `json:"blocks"`
}

const (
	packedKind  = 'p'
	rowsKind    = 'r'
	boundedKind = 'b'
)

// unitHash hashes units that are texts: the AES-CBC-MAC of the text, cut to 64 bits, under a key derived from the run's
// key.
type unitHash struct {
	block cipher.Block
	state [aes.BlockSize]byte
}

func (h *unitHash) hash(unit []byte) uint64 {
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

// buckets returns the hash that chooses one of n buckets for each unit. Its keys are derived from the run's key, so all
// workers choose alike, and units are spread evenly whatever their names.
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
	return queries.NewBuckets(n, [16]byte(words), h.hash), err
}

// blockBytes is the approximate length in bytes of a block of rows.
const blockBytes = 512 << 10

// maxBlocksBytes limits the memory, in bytes, for the unfinished blocks of all partitions in WritePartitions.
const maxBlocksBytes = 16 * blockBytes

// Pack encrypts the contents of accumulators as messages and passes each to emit with its bucket: blocks of rows to the
// buckets 0 to n-1, and last the packed message to bucket n. The accumulators are consumed.
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

// answers returns an encrypted message of the given kind, which holds head and then the totals of the accumulators.
func (k Key) answers(kind byte, head []byte, all []*queries.Accumulator) ([]byte, error) {
	var out bytes.Buffer
	out.Write(head)
	if err := queries.SaveTotals(all, &out); err != nil {
		return nil, err
	}
	out.WriteByte(kind)
	return k.Encrypt(out.Bytes())
}

// Bounded returns the bounded message of a bucket, whose blocks of rows the accumulators have loaded: it applies the
// contribution bounds and encrypts the totals. The accumulators are consumed.
func (k Key) Bounded(bucket int, blocks int64, all []*queries.Accumulator) ([]byte, error) {
	if err := queries.Bound(all); err != nil {
		return nil, err
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(bucket))
	return k.answers(boundedKind, binary.BigEndian.AppendUint64(head, uint64(blocks)), all)
}

// Opener decrypts the messages of a run, one at a time, in memory that it reuses.
type Opener struct {
	key   Key
	plain []byte
}

// NewOpener returns an Opener for the messages that were encrypted under k.
func NewOpener(k Key) *Opener { return &Opener{key: k} }

// Message decrypts a message. The result is valid until the next call. Errors: ErrFormat, ErrVersion, ErrOtherKey and
// ErrDamaged.
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

// LoadRows adds the rows of a message of rows to the accumulators of a bucket. If the message belongs to another
// bucket, the error is ErrLost.
func (m *Message) LoadRows(all []*queries.Accumulator, bucket int) error {
	switch {
	case m.kind != rowsKind:
		return ErrDamaged
	case m.Bucket != bucket:
		return fmt.Errorf("bucket %d: %w", bucket, ErrLost)
	}
	return stateError(queries.LoadRows(all, m.rest))
}

// LoadTotals adds the totals of a packed or bounded message to accumulators.
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

// Tally checks that no message of a shuffle was lost or duplicated: it compares the numbers of blocks that packed
// messages state as sent with those that bounded messages state as received.
type Tally struct {
	packed  []*Packed
	sent    map[int]int64
	bounded map[int]int64
}

// ErrLost means that messages of a shuffle were lost, duplicated or sent to another bucket.
var ErrLost = errors.New("messages between workers were lost, duplicated or sent to the wrong worker")

// Add records the counts of a packed or bounded message. The error is ErrLost if the message belongs to another run or
// if its bucket was added before.
func (t *Tally) Add(m *Message) error {
	if t.sent == nil {
		t.sent, t.bounded = map[int]int64{}, map[int]int64{}
	}
	if m.Packed != nil {
		if len(t.packed) > 0 && (m.Packed.Run != t.packed[0].Run || m.Packed.Program != t.packed[0].Program) {
			return ErrLost // the totals belong to another run
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

// Header returns the header of a part that holds the whole table (shard 1 of 1). Call it after all messages were added.
// The error is ErrLost if a block or a split is missing or occurs twice.
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
