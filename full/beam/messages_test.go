package beam

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// listed returns an iterator over messages, as Beam passes one to a function.
func listed(messages [][]byte) func(*[]byte) bool {
	return func(m *[]byte) bool {
		if len(messages) == 0 {
			return false
		}
		*m, messages = messages[0], messages[1:]
		return true
	}
}

// Messages of several calls arrive unchanged, in any order and of any length, and the runner sees only their positions.
func TestMessagesInFiles(t *testing.T) {
	dir := t.TempDir()
	task := &Task{Messages: filepath.Join(dir, "run-")}
	var places, sent [][]byte
	for call := range 3 {
		to := sender{task: task, emit: func(_ int, place []byte) { places = append(places, place) }}
		for i, n := range []int{1, 0, 70_000} {
			m := bytes.Repeat([]byte{byte(1 + 3*call + i)}, n)
			sent = append(sent, m)
			to.send(i, m)
		}
		if err := to.close(nil); err != nil {
			t.Fatal(err)
		}
	}
	order := []int{8, 0, 4, 3, 7, 2, 1, 6, 5}
	var wanted, mixed [][]byte
	for _, i := range order {
		if len(places[i]) != placeBytes {
			t.Fatalf("the runner has %d bytes of a message", len(places[i]))
		}
		wanted, mixed = append(wanted, sent[i]), append(mixed, places[i])
	}
	from := receiver{task: task, next: listed(mixed)}
	for i, want := range wanted {
		if got, err := from.message(); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("message %d: %d bytes, %v", i, len(got), err)
		}
	}
	if _, err := from.message(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	from.close()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		if about, err := f.Info(); err != nil || about.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", about.Mode(), err)
		}
	}
}

// A malformed position, a position in a missing file and a truncated file are errors. They make the reader allocate no
// more memory than the file's size.
func TestMessagesThatAreLost(t *testing.T) {
	dir := t.TempDir()
	task := &Task{Messages: filepath.Join(dir, "run-")}
	var places [][]byte
	to := sender{task: task, emit: func(_ int, place []byte) { places = append(places, place) }}
	to.send(0, make([]byte, 1000))
	if err := to.close(nil); err != nil {
		t.Fatal(err)
	}
	place := places[0]
	change := func(at int, to byte) []byte {
		changed := bytes.Clone(place)
		changed[at] = to
		return changed
	}
	for name, wrong := range map[string][]byte{
		"short": place[:5], "empty": {}, "long": append(bytes.Clone(place), 0), "another file": change(0, ^place[0]),
		"behind the end": change(placeBytes-9, 1), "longer than the file": change(placeBytes-1,
			255), "huge": change(placeBytes-8, 127), "before the beginning": change(nameBytes, 255),
	} {
		from := receiver{task: task, next: listed([][]byte{wrong})}
		if m, err := from.message(); !errors.Is(err, errReading) {
			t.Errorf("%s: %d bytes, %v", name, len(m), err)
		}
		from.close()
	}
	if err := os.Truncate(task.messagesFile(place[:nameBytes]), 999); err != nil {
		t.Fatal(err)
	}
	from := receiver{task: task, next: listed(places)}
	if _, err := from.message(); !errors.Is(err, errReading) {
		t.Errorf("a file that was cut: %v", err)
	}
	from.close()
}

// If there is no folder, sending fails, and so does the call.
func TestMessagesWithoutFolder(t *testing.T) {
	to := sender{task: &Task{Messages: filepath.Join(t.TempDir(), "none", "run-")},
		emit: func(int, []byte) { t.Error("a message was sent") }}
	to.send(0, []byte("message"))
	to.send(1, []byte("message"))
	if err := to.close(nil); !errors.Is(err, errWriting) {
		t.Error(err)
	}
	other := errors.New("another error")
	if err := to.close(other); !errors.Is(err, other) {
		t.Error(err)
	}
}
