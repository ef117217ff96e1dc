package silence_test

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/silence"
)

// pipe returns a connection with a limit, and its other end, which never answers by itself.
func pipe(t *testing.T, limit time.Duration, alive func() bool) (near, far net.Conn) {
	t.Helper()
	near, far = net.Pipe()
	dial := func(context.Context, string, string) (net.Conn, error) { return near, nil }
	near, err := silence.Dialer(dial, limit, alive)(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = near.Close(), far.Close() })
	return near, far
}

// A read and a write end if the other side does nothing. The connection stays ended, even if the other side then
// writes.
func TestSilent(t *testing.T) {
	near, far := pipe(t, 10*time.Millisecond, nil)
	var timeout net.Error
	if _, err := near.Read(make([]byte, 1)); !errors.Is(err, silence.ErrSilent) || !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Error("read:", err)
	}
	go func() { _, _ = far.Write(make([]byte, 1)) }()
	if _, err := near.Read(make([]byte, 1)); !errors.Is(err, silence.ErrSilent) {
		t.Error("read again:", err)
	}
	near, _ = pipe(t, 10*time.Millisecond, nil)
	if _, err := near.Write(make([]byte, 1)); !errors.Is(err, silence.ErrSilent) {
		t.Error("write:", err)
	}
}

// A read goes on as long as the server is alive, and ends when it no longer is.
func TestAlive(t *testing.T) {
	asked := 0
	near, _ := pipe(t, 10*time.Millisecond, func() bool { asked++; return asked < 3 })
	if _, err := near.Read(make([]byte, 1)); !errors.Is(err, silence.ErrSilent) || asked != 3 {
		t.Errorf("%v after %d questions, want 3", err, asked)
	}
}

// A deadline that the driver sets ends a read, whether it is set before or during the read. The error is then the
// deadline's, and not that of a silent server.
func TestDeadlines(t *testing.T) {
	near, _ := pipe(t, time.Hour, nil)
	if err := near.SetDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := near.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("a deadline that has passed:", err)
	}
	if err := near.SetDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(10*time.Millisecond, func() { _ = near.SetDeadline(time.Now().Add(-time.Second)) })
	if _, err := near.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("a deadline during the read:", err)
	}
}
