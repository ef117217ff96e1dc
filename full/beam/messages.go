package beam

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"io"
	"os"
)

// Messages in files
//
// Prism holds all shuffled data in memory, and prism, gRPC and the SDK together make about ten copies of each byte. If
// all workers see one folder (Task.Messages), functions write their messages to files there. The runner then shuffles
// only the position of each message: its file, offset and length. sender writes, receiver reads. Messages are encrypted
// and authenticated either way, and counted at both ends. If a function is retried, it writes another file, and the
// first one is never read.

// MessagesEnding is the ending of the names of files that hold messages.
const MessagesEnding = ".messages"

// The position of a message in files: 8 bytes of the file's random name, 8 bytes of offset and 8 bytes of length.
const (
	nameBytes  = 8
	placeBytes = nameBytes + 8 + 8
)

var errWriting, errReading = Unwritten.with(""), Unshared.with("")

// messagesFile returns the path of a file of messages. A position holds only random bytes of the name, so it cannot
// point to a file outside the folder.
func (t *Task) messagesFile(name []byte) string {
	return t.Messages + hex.EncodeToString(name) + MessagesEnding
}

// sender sends the messages that one call of a function makes.
type sender struct {
	task *Task
	emit func(bucket int, message []byte)
	file *os.File // the file of messages; nil before the first message
	name [nameBytes]byte
	size int64
	err  error // the first error of sending
}

// send sends a message or, if there is a folder for messages, writes it there and sends its position.
func (s *sender) send(bucket int, message []byte) {
	switch {
	case s.task.Messages == "":
		s.emit(bucket, message)
		return
	case s.err == nil && s.file == nil:
		s.err = s.open()
	}
	if s.err != nil {
		return
	}
	if _, err := s.file.Write(message); err != nil {
		s.err = errWriting
		return
	}
	place := append(make([]byte, 0, placeBytes), s.name[:]...)
	place = binary.BigEndian.AppendUint64(place, uint64(s.size))
	place = binary.BigEndian.AppendUint64(place, uint64(len(message)))
	s.size += int64(len(message))
	s.emit(bucket, place)
}

func (s *sender) open() (err error) {
	if _, err = rand.Read(s.name[:]); err != nil {
		return err
	}
	if s.file, err = os.OpenFile(s.task.messagesFile(s.name[:]), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return errWriting
	}
	return nil
}

// close ends the sending. err is the error that interrupted it, or nil. close returns the first error of err, of
// sending and of closing the file.
func (s *sender) close(err error) error {
	if s.file != nil && s.file.Close() != nil && s.err == nil {
		s.err = errWriting
	}
	if err == nil {
		err = s.err
	}
	return err
}

// receiver reads the messages that were sent to one call of a function.
type receiver struct {
	task   *Task
	next   func(*[]byte) bool
	file   *os.File // the file that was read last and is still open, or nil
	name   [nameBytes]byte
	buffer []byte
}

// message returns the next message, or io.EOF. The message is valid until the next call.
func (r *receiver) message() ([]byte, error) {
	var m []byte
	if !r.next(&m) {
		return nil, io.EOF
	}
	if r.task.Messages == "" {
		return m, nil
	}
	if len(m) != placeBytes {
		return nil, errReading
	}
	if err := r.open(m[:nameBytes]); err != nil {
		return nil, err
	}
	from, size := int64(binary.BigEndian.Uint64(m[nameBytes:])), binary.BigEndian.Uint64(m[nameBytes+8:])
	if about, err := r.file.Stat(); err != nil || from < 0 || from > about.Size() || size > uint64(about.Size()-from) {
		return nil, errReading
	}
	if uint64(cap(r.buffer)) < size {
		r.buffer = make([]byte, size)
	}
	r.buffer = r.buffer[:size]
	if _, err := r.file.ReadAt(r.buffer, from); err != nil {
		return nil, errReading
	}
	return r.buffer, nil
}

// open opens a file of messages, unless it is open already: successive messages are mostly in the same file.
func (r *receiver) open(name []byte) (err error) {
	if r.file != nil && r.name == [nameBytes]byte(name) {
		return nil
	}
	r.close()
	if r.file, err = os.Open(r.task.messagesFile(name)); err != nil {
		r.file = nil
		return errReading
	}
	r.name = [nameBytes]byte(name)
	return nil
}

func (r *receiver) close() {
	if r.file != nil {
		_ = r.file.Close() // nothing is lost: the file was only read
	}
	r.file = nil
}
