package partial

import (
	"bufio"
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

// The encrypted stream
//
// A stream is a head and chunks. The head is not encrypted:
//
//	8 bytes    "dprelagg"
//	2 bytes    the version of the format
//	16 bytes   the ID of the run's key, so that a wrong key is not reported as damage
//	32 bytes   a random salt
//
// Each chunk is up to 64 KiB, encrypted and authenticated (AES-256-GCM) with the head as additional data. The stream's
// key is derived from the run's key and the salt (HKDF-SHA256), so each stream has its own key. The nonce of a chunk is
// its number, in 11 bytes, and a last byte that is 1 for the last chunk. This is the STREAM construction, as in age: it
// detects chunks that were changed, left out, duplicated or reordered, and a stream that was truncated.

const (
	// Mark is the beginning of every stream.
	Mark = "dprelagg"
	// Version is the version of the format, including the encoding of accumulators' states.
	Version    = 1
	idBytes    = 16
	saltBytes  = 32
	headBytes  = len(Mark) + 2 + idBytes + saltBytes
	chunkBytes = 64 << 10
)

// The errors of reading a stream.
var (
	// ErrFormat means that the bytes do not begin with Mark.
	ErrFormat = errors.New("this is not a partial aggregate")
	// ErrVersion means that the stream has another version of the format.
	ErrVersion = errors.New("another version of the format wrote this")
	// ErrOtherKey means that the stream was written under the key of another run.
	ErrOtherKey = errors.New("this is encrypted with the key of another run")
	// ErrDamaged means that authentication failed, or that the stream is truncated.
	ErrDamaged = errors.New("this was damaged or cut off")
)

// chunkCipher encrypts or decrypts the chunks of one stream.
type chunkCipher struct {
	aead  cipher.AEAD
	head  []byte
	nonce [12]byte
	next  uint64 // number of the next chunk
}

func newChunkCipher(k Key, head []byte) (*chunkCipher, error) {
	key, err := k.derive(head[headBytes-saltBytes:], "stream")
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	return &chunkCipher{aead: aead, head: head}, err
}

// step returns the nonce of the next chunk. last is set for the last chunk of the stream.
func (s *chunkCipher) step(last bool) []byte {
	binary.BigEndian.PutUint64(s.nonce[3:], s.next)
	s.next++
	if s.nonce[11] = 0; last {
		s.nonce[11] = 1
	}
	return s.nonce[:]
}

// encrypted is an io.WriteCloser that encrypts a stream to w.
type encrypted struct {
	*chunkCipher
	w     io.Writer
	plain []byte
	out   []byte
	err   error
}

// head returns the head of a new stream, with a random salt.
func (k Key) head() ([]byte, error) {
	id, err := k.derive(nil, "id")
	if err != nil {
		return nil, err
	}
	head := binary.BigEndian.AppendUint16([]byte(Mark), Version)
	head = append(append(head, id[:idBytes]...), make([]byte, saltBytes)...)
	_, err = rand.Read(head[headBytes-saltBytes:])
	return head, err
}

// newEncrypted writes the head of a stream and returns a writer for its contents.
func newEncrypted(w io.Writer, k Key) (*encrypted, error) {
	head, err := k.head()
	if err != nil {
		return nil, err
	}
	s, err := newChunkCipher(k, head)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(head)
	return &encrypted{chunkCipher: s, w: w, plain: make([]byte, 0, chunkBytes)}, err
}

// Write encrypts each chunk once it is full and more bytes follow.
func (e *encrypted) Write(p []byte) (int, error) {
	written := len(p)
	for len(p) > 0 && e.err == nil {
		if len(e.plain) == chunkBytes {
			e.encryptChunk(false)
		}
		n := min(len(p), chunkBytes-len(e.plain))
		e.plain = append(e.plain, p[:n]...)
		p = p[n:]
	}
	return written, e.err
}

func (e *encrypted) encryptChunk(last bool) {
	e.out = e.aead.Seal(e.out[:0], e.step(last), e.plain, e.head)
	e.plain = e.plain[:0]
	if e.err == nil {
		_, e.err = e.w.Write(e.out)
	}
}

// Close writes the last chunk. It does not close the underlying writer.
func (e *encrypted) Close() error {
	e.encryptChunk(true)
	return e.err
}

// decrypted is an io.Reader that decrypts a stream. It returns io.EOF only after the authenticated last chunk.
type decrypted struct {
	*chunkCipher
	r     *bufio.Reader
	chunk []byte
	plain []byte // decrypted bytes that were not read yet
	last  bool
}

func newDecrypted(r io.Reader, k Key) (*decrypted, error) {
	in := bufio.NewReaderSize(r, chunkBytes+64)
	s, err := k.readHead(in)
	if err != nil {
		return nil, err
	}
	return &decrypted{chunkCipher: s, r: in, chunk: make([]byte, chunkBytes+s.aead.Overhead())}, nil
}

// readHead reads and checks the head of a stream, and returns the cipher of its chunks.
func (k Key) readHead(in io.Reader) (*chunkCipher, error) {
	head := make([]byte, headBytes)
	if _, err := io.ReadFull(in, head); err != nil || !bytes.HasPrefix(head, []byte(Mark)) {
		return nil, readError(err, ErrFormat)
	}
	if binary.BigEndian.Uint16(head[len(Mark):]) != Version {
		return nil, ErrVersion
	}
	id, err := k.derive(nil, "id")
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(head[len(Mark)+2:][:idBytes], id[:idBytes]) {
		return nil, ErrOtherKey
	}
	return newChunkCipher(k, head)
}

// readError returns err, or fault if err is nil or means that the source ended early.
func readError(err, fault error) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fault
	}
	return err
}

// open decrypts the next chunk; io.EOF after the last one.
func (d *decrypted) open() error {
	if d.last {
		return io.EOF
	}
	n, err := io.ReadFull(d.r, d.chunk)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return readError(err, ErrDamaged)
	}
	if err == nil {
		_, err = d.r.Peek(1)
	}
	d.last = err != nil
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	d.plain, err = d.aead.Open(d.chunk[:0], d.step(d.last), d.chunk[:n], d.head)
	if err != nil {
		d.plain, d.last = nil, true
		return ErrDamaged
	}
	return nil
}

func (d *decrypted) Read(p []byte) (int, error) {
	for len(d.plain) == 0 {
		if err := d.open(); err != nil {
			return 0, err
		}
	}
	n := copy(p, d.plain)
	d.plain = d.plain[n:]
	return n, nil
}

func (d *decrypted) ReadByte() (byte, error) {
	for len(d.plain) == 0 {
		if err := d.open(); err != nil {
			return 0, err
		}
	}
	b := d.plain[0]
	d.plain = d.plain[1:]
	return b, nil
}

// end returns nil if the stream has no more bytes, and ErrDamaged if it has.
func (d *decrypted) end() error {
	if _, err := d.ReadByte(); !errors.Is(err, io.EOF) {
		return readError(err, ErrDamaged)
	}
	return nil
}

// Check reads a stream to its end and returns nil if all of it is authentic. Errors: ErrFormat, ErrVersion,
// ErrOtherKey, ErrDamaged, or errors of r.
func Check(r io.Reader, k Key) error {
	d, err := newDecrypted(r, k)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, d)
	return err
}

// Encrypt encrypts one message in memory, in the format of a stream.
func (k Key) Encrypt(message []byte) ([]byte, error) {
	head, err := k.head()
	if err != nil {
		return nil, err
	}
	s, err := newChunkCipher(k, head)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, headBytes+len(message)+s.aead.Overhead()*(1+len(message)/chunkBytes))
	out = append(out, head...)
	for {
		n := min(len(message), chunkBytes)
		last := n == len(message)
		out = s.aead.Seal(out, s.step(last), message[:n], head)
		if message = message[n:]; last {
			return out, nil
		}
	}
}

// Decrypt decrypts a message that Encrypt encrypted. Errors: ErrFormat, ErrVersion, ErrOtherKey and ErrDamaged.
func (k Key) Decrypt(message []byte) ([]byte, error) { return k.decrypt(nil, message) }

// decrypt appends the decrypted message to dst.
func (k Key) decrypt(dst, message []byte) ([]byte, error) {
	s, err := k.readHead(bytes.NewReader(message))
	if err != nil {
		return dst, err
	}
	dst = slices.Grow(dst, len(message))
	for message = message[headBytes:]; ; {
		n := min(len(message), chunkBytes+s.aead.Overhead())
		last := n == len(message)
		if dst, err = s.aead.Open(dst, s.step(last), message[:n], s.head); err != nil {
			return dst, ErrDamaged
		}
		if message = message[n:]; last {
			return dst, nil
		}
	}
}
