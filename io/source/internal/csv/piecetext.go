package csv

import (
	"bytes"
	"io"
	"slices"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// pieceText is the text of a piece and as much of the text after it as the piece's last record needs.
type pieceText struct {
	file scan.Handle
	at   int64 // the offset of the piece in the file
	size int64 // the file's size
	own  int   // length of the piece in bytes, without the text after it
	b    []byte
}

// Number of bytes after a piece that are read at first, and at most. If the piece's last record is longer, it is read
// as a stream.
const (
	minBehind = 4 << 10
	maxBehind = 1 << 20
)

func (t *pieceText) load(s *scan.Stream, size int64) error {
	t.file, t.at, t.size = s.File, s.Section.At, size
	t.own = int(s.Section.End - s.Section.At)
	t.b = slices.Grow(t.b[:0], t.own+minBehind)[:t.own]
	_, err := io.ReadFull(s.Section, t.b)
	return err
}

// eof reports whether the loaded text reaches the end of the file.
func (t *pieceText) eof() bool { return t.at+int64(len(t.b)) == t.size }

// extend reads more text after the piece, and reports whether there was more.
func (t *pieceText) extend() (bool, error) {
	n := len(t.b)
	behind := n - t.own
	more := min(int64(max(minBehind, 3*behind)), t.size-t.at-int64(n))
	if more == 0 || behind >= maxBehind {
		return false, nil
	}
	t.b = slices.Grow(t.b, int(more))[:n+int(more)]
	return true, scan.ReadAt(t.file, t.b[n:], t.at+int64(n))
}

// guess returns the offset after the first line end in the piece (or just before the piece); -1 if there is none. A
// record starts there unless the line end is within quotes.
func (t *pieceText) guess() (int, error) {
	var before [1]byte
	if err := scan.ReadAt(t.file, before[:], t.at-1); err != nil || before[0] == '\n' {
		return 0, err
	}
	if i := bytes.IndexByte(t.b[:t.own], '\n'); i >= 0 && i+1 < t.own {
		return i + 1, nil
	}
	return -1, nil
}
