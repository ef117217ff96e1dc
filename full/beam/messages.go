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
// Prism holds all that it shuffles in memory, and it, gRPC and the SDK make about ten copies of each byte. If all
// workers see one folder (Task.Messages), functions write their messages to files there, and the runner shuffles where
// each of them is: sender writes, receiver reads. Messages are encrypted and authenticated either way, and counted at
// both ends. A function that is tried again writes another file; nobody reads the first.

// MessagesEnding ends the names of the files that hold messages.
const MessagesEnding = ".messages"

// A place says where a message is: 8 bytes name the file, 8 its first byte and 8 its length.
const (
	nameBytes  = 8
	placeBytes = nameBytes + 8 + 8
)

var errWriting, errReading = Unwritten.with(""), Unshared.with("")

// messagesFile returns the path of a file of messages. Of its name, messages have random bytes alone, so that they name
// no other file.
func (t *Task) messagesFile(name []byte) string {
	return t.Messages + hex.EncodeToString(name) + MessagesEnding
}

// sender sends the messages that one call of a function makes.
type sender struct {
	task *Task
	emit func(bucket int, message []byte)
	file *os.File // nil before the first message
	name [nameBytes]byte
	size int64
	err  error // the first one
}

// send sends a message: itself or, if there is a folder, its place.
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

// close is called when all messages are sent, or an error has ended that. It returns the first error of all.
func (s *sender) close(err error) error {
	if s.file != nil && s.file.Close() != nil && s.err == nil {
		s.err = errWriting
	}
	if err == nil {
		err = s.err
	}
	return err
}

// receiver receives messages that were sent to one call of a function.
type receiver struct {
	task   *Task
	next   func(*[]byte) bool
	file   *os.File // the last one that was read, or nil
	name   [nameBytes]byte
	buffer []byte
}

// message returns the next message, or io.EOF. It can be used until the next call.
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

// open opens a file, if it is not the one that was read last: messages of one file mostly come one after the other.
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
		_ = r.file.Close() // it was read only
	}
	r.file = nil
}
