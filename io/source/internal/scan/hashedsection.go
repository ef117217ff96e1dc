package scan

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"errors"
	"hash"
	"io"

	"github.com/dprelease/dprelease/io/source/fault"
)

// BlockSize is how many bytes are read and hashed at a time. They fit the first- or second-level cache.
const BlockSize = 64 << 10

// BlockMAC hashes blocks of a file by GMAC, with one key and nonce. It is at least three times as fast as SHA-256. It
// is an almost universal hash: an attacker without the key finds two different blocks with equal tags with a
// probability below 2^-115 per try (a block has 2^12 words of 128 bits, and the hash is a polynomial of that degree
// over a field of 2^128; McGrew & Viega 2004, lemma 2). The tags are not published: they are hashed, and the ledger
// keeps only a keyed fingerprint of that hash.
type BlockMAC struct{ aead cipher.AEAD }

// NewBlockMAC returns the hash for the files of a dataset, with a key that is derived from key.
func NewBlockMAC(key []byte) (BlockMAC, error) {
	derived := sha256.Sum256(append([]byte("dprelease blocks 1\n"), key...))
	block, err := aes.NewCipher(derived[:])
	if err != nil {
		return BlockMAC{}, err
	}
	aead, err := cipher.NewGCM(block)
	return BlockMAC{aead}, err
}

// blockNonce is the nonce of all blocks. It may always be the same, since nothing is encrypted with it.
var blockNonce [12]byte

// Section reads a part of a file in order and hashes it while it is read, in blocks from its start.
type Section struct {
	ctx     context.Context
	f       io.ReaderAt
	At, End int64
	mac     BlockMAC
	tags    hash.Hash // hash of the tags of all blocks read so far
	tag     [16]byte
	buf     []byte // memory for a block and for peeked bytes
	unread  []byte // the unread part of buf
}

// NewSection returns a reader of the bytes from at up to, not including, end.
func NewSection(ctx context.Context, f io.ReaderAt, mac BlockMAC, at, end int64) *Section {
	return &Section{ctx: ctx, f: f, mac: mac, At: at, End: end, tags: sha256.New()}
}

// Lend gives the section memory for its blocks. Reclaim returns it.
func (s *Section) Lend(memory []byte) { s.buf = memory }

// Reclaim returns the memory of the section, which may have grown. The section must not be used afterwards.
func (s *Section) Reclaim() []byte {
	memory := s.buf
	s.buf, s.unread = nil, nil
	return memory
}

// load reads the next block, of at most len(p) bytes, into p, and hashes it. It returns the block's length.
func (s *Section) load(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	p = p[:min(BlockSize, s.End-s.At)]
	if err := ReadAt(s.f, p, s.At); err != nil {
		return 0, err
	}
	s.At += int64(len(p))
	s.tags.Write(s.mac.aead.Seal(s.tag[:0], blockNonce[:], nil, p))
	return len(p), nil
}

// fill reads the next block and appends it to unread. The error is io.EOF at the end.
func (s *Section) fill() error {
	if s.At >= s.End {
		return io.EOF
	}
	need := len(s.unread) + int(min(BlockSize, s.End-s.At))
	if cap(s.buf) < need {
		s.buf = make([]byte, need)
	}
	s.buf = s.buf[:cap(s.buf)]
	kept := copy(s.buf, s.unread)
	n, err := s.load(s.buf[kept:])
	s.unread = s.buf[:kept+n]
	return err
}

// Peek returns the next n bytes, or fewer at the end, without reading past them. They are valid until the next call.
func (s *Section) Peek(n int) ([]byte, error) {
	for len(s.unread) < n {
		if err := s.fill(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
	}
	return s.unread[:min(n, len(s.unread))], nil
}

// Skip moves past n bytes that Peek has returned.
func (s *Section) Skip(n int) { s.unread = s.unread[n:] }

// Left returns how many bytes are left to read.
func (s *Section) Left() int64 { return s.End - s.At + int64(len(s.unread)) }

// Unread returns how many of the bytes before At are not read yet.
func (s *Section) Unread() int64 { return int64(len(s.unread)) }

// TagSize is the length of a Tag in bytes.
const TagSize = 16

// Tag returns the BlockMAC of some bytes.
func (s *Section) Tag(b []byte) (tag [TagSize]byte) {
	s.mac.aead.Seal(tag[:0], blockNonce[:], nil, b)
	return tag
}

// ReadAgain reads len(p) bytes at offset at, which were read before. The caller must compare their Tag.
func (s *Section) ReadAgain(p []byte, at int64) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	return ReadAt(s.f, p, at)
}

// Pass reads and discards the next n bytes, in blocks.
func (s *Section) Pass(n int64) error {
	for n > 0 {
		b, err := s.Peek(int(min(n, BlockSize)))
		if err != nil {
			return err
		}
		if len(b) == 0 {
			return io.ErrUnexpectedEOF
		}
		s.Skip(len(b))
		n -= int64(len(b))
	}
	return nil
}

// Read reads whole blocks directly into p if p has room for them.
func (s *Section) Read(p []byte) (int, error) {
	switch {
	case len(s.unread) > 0:
	case s.At < s.End && len(p) >= int(min(BlockSize, s.End-s.At)):
		return s.load(p)
	default:
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, s.unread)
	s.unread = s.unread[n:]
	return n, nil
}

// Sum reads the rest of the section and returns the digest of the whole section.
func (s *Section) Sum() ([]byte, error) {
	s.unread = nil
	for s.At < s.End {
		if err := s.fill(); err != nil {
			return nil, err
		}
		s.unread = nil
	}
	return s.tags.Sum(nil), nil
}

// ReadAt reads len(p) bytes at offset at into p.
func ReadAt(f io.ReaderAt, p []byte, at int64) error {
	n, err := f.ReadAt(p, at)
	var own *fault.Error
	switch {
	case n == len(p):
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return fault.New(fault.CodeTruncated, "the file ends too early")
	case errors.As(err, &own), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return fault.New(fault.CodeUnreadable, "the file cannot be read")
}
