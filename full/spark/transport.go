package spark

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"time"

	"github.com/apache/thrift/lib/go/thrift"
)

// Messages go over a TCP connection or over HTTP. On a TCP connection a SASL handshake (RFC 4422) by the mechanism
// PLAIN (RFC 4616) comes first, and each message follows its length in four bytes; a server without SASL takes bare
// messages. Over HTTP a message is the body of a request.

// maxMessage is the maximum size of an answer that is read, in bytes.
const maxMessage = 1<<31 - 1

// dial connects and authenticates. Conn is nil over HTTP.
func dial(ctx context.Context, c *config) (t thrift.TTransport, conn net.Conn, err error) {
	if c.http {
		t, err = dialHTTP(c)
		return t, nil, err
	}
	dialer := net.Dialer{Timeout: min(c.timeout, time.Minute)}
	if conn, err = dialer.DialContext(ctx, "tcp", c.address); err != nil {
		return nil, nil, err
	}
	if c.tls != nil {
		conn = tls.Client(conn, c.tls)
	}
	if c.auth == authPlain {
		stop := limit(ctx, conn)
		defer stop()
		if err := handshake(conn, c.user, c.password); err != nil {
			return nil, nil, errors.Join(err, conn.Close())
		}
	}
	return &messages{conn: conn, in: bufio.NewReaderSize(conn, 1<<16), framed: c.auth == authPlain}, conn, nil
}

// limit closes the connection when the context ends, which aborts its reads and writes. The caller calls stop
// afterwards; stop reports whether the connection can still be used.
func limit(ctx context.Context, conn net.Conn) (stop func() bool) {
	return context.AfterFunc(ctx, func() { _ = conn.Close() }) // data that is still in flight may be lost
}

// dialHTTP makes an HTTP transport. It opens no connection yet.
func dialHTTP(c *config) (thrift.TTransport, error) {
	jar, err := cookiejar.New(nil) // servers behind a balancer identify themselves by cookies
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	to := url.URL{Scheme: "http", Host: c.address, Path: "/" + c.path}
	if c.tls != nil {
		to.Scheme, transport.TLSClientConfig = "https", c.tls
	}
	t, err := thrift.NewTHttpClientWithOptions(to.String(), thrift.THttpClientOptions{
		Client: &http.Client{Transport: transport, Jar: jar}})
	if err != nil {
		return nil, err
	}
	authorization := "Basic " + base64.StdEncoding.EncodeToString([]byte(orAnyone(c.user)+":"+orAnyone(c.password)))
	if c.auth == authBearer {
		authorization = "Bearer " + c.password
	}
	t.(*thrift.THttpClient).SetHeader("Authorization", authorization)
	return t, nil
}

// The first byte of a message of the handshake.
const (
	saslStart    = 1
	saslOK       = 2
	saslComplete = 5
)

// handshake performs the SASL handshake with a user name and a password.
func handshake(conn io.ReadWriter, user, password string) error {
	hello := saslMessage(saslStart, "PLAIN")
	hello = append(hello, saslMessage(saslOK, "\x00"+orAnyone(user)+"\x00"+orAnyone(password))...)
	if _, err := conn.Write(hello); err != nil {
		return err
	}
	var header [5]byte
	if _, err := io.ReadFull(conn, header[:]); err != nil {
		return err
	}
	length := binary.BigEndian.Uint32(header[1:])
	if length > 1<<16 {
		return errors.New("the server does not answer the handshake as one of HiveServer2 does")
	}
	if _, err := io.CopyN(io.Discard, conn, int64(length)); err != nil {
		return err
	}
	if header[0] != saslComplete {
		return &Error{State: stateNoUser}
	}
	return nil
}

func saslMessage(status byte, body string) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{status}, uint32(len(body))), body...)
}

// orAnyone returns s, or "anonymous" if s is empty. A server without authentication refuses an empty name or password.
func orAnyone(s string) string { return cmp.Or(s, "anonymous") }

// messages is the transport over TCP.
type messages struct {
	conn   net.Conn
	in     *bufio.Reader
	out    bytes.Buffer
	framed bool
	left   uint32 // unread bytes of the current frame
}

func (m *messages) Read(b []byte) (int, error) {
	if !m.framed {
		return m.in.Read(b)
	}
	for m.left == 0 {
		var header [4]byte
		if _, err := io.ReadFull(m.in, header[:]); err != nil {
			return 0, err
		}
		m.left = binary.BigEndian.Uint32(header[:])
	}
	n, err := m.in.Read(b[:min(uint64(len(b)), uint64(m.left))])
	m.left -= uint32(n)
	return n, err
}

func (m *messages) Write(b []byte) (int, error) { return m.out.Write(b) }

// Flush sends the written bytes.
func (m *messages) Flush(context.Context) error {
	body := m.out.Bytes()
	if m.framed {
		body = append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
	}
	m.out.Reset()
	_, err := m.conn.Write(body)
	return err
}

// RemainingBytes returns the largest number, which means "unknown" to Thrift.
func (m *messages) RemainingBytes() uint64 { return 1<<64 - 1 }
func (m *messages) Open() error            { return nil }
func (m *messages) IsOpen() bool           { return true }
func (m *messages) Close() error           { return m.conn.Close() }
