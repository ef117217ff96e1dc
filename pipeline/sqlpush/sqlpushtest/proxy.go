package sqlpushtest

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
)

// Proxy forwards connections of a program to a server, on a TCP port of this machine. It records every byte that the
// server sends, and can cut connections or hold them.
type Proxy struct {
	// DSN is the connection string of the server through the proxy.
	DSN string
	// Address is the proxy's address.
	Address string

	network, server string

	mutex sync.Mutex
	sent  []*bytes.Buffer // by the server, for each connection
	since int             // bytes that were sent since the limit was set
	limit int             // the largest number of bytes; 0 if there is no limit
	hold  holding
	held  *bytes.Buffer // the first connection that was held
}

// holding says what becomes of connections at the limit.
type holding int

const (
	cutAll  holding = iota // they are cut
	holdAll                // they stay open, and so do later ones; the server's bytes are not forwarded
	holdOne                // the first one is held, the others go on
)

// NewProxyTo returns a proxy before a server that listens on an address. Its DSN is empty.
func NewProxyTo(t testing.TB, network, server string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	p := &Proxy{Address: l.Addr().String(), network: network, server: server}
	go p.serve(l)
	return p
}

// NewProxy returns a proxy before a PostgreSQL server that listens on a Unix socket.
func NewProxy(t testing.TB, dsn string) *Proxy {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	p := NewProxyTo(t, "unix", filepath.Join(q.Get("host"), ".s.PGSQL.5432"))
	host, port, err := net.SplitHostPort(p.Address)
	if err != nil {
		t.Fatal(err)
	}
	q.Set("host", host)
	q.Set("port", port)
	q.Set("sslmode", "disable")
	u.RawQuery = q.Encode()
	p.DSN = u.String()
	return p
}

func (p *Proxy) serve(l net.Listener) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial(p.network, p.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		kept := &bytes.Buffer{}
		p.mutex.Lock()
		p.sent = append(p.sent, kept)
		p.mutex.Unlock()
		end := func() { _, _ = client.Close(), server.Close() }
		go func() { defer end(); _, _ = io.Copy(server, client) }()
		go func() { defer end(); p.record(client, server, kept) }()
	}
}

// record forwards the server's bytes until the connection ends, or the limit is reached: then even the bytes before it
// are not all forwarded.
func (p *Proxy) record(client io.Writer, server io.Reader, kept *bytes.Buffer) {
	b := make([]byte, 1<<16)
	for {
		n, err := server.Read(b)
		p.mutex.Lock()
		kept.Write(b[:n])
		p.since += n
		over := 0
		if p.limit > 0 {
			over = min(n, max(0, p.since-p.limit))
		}
		if over > 0 && p.held == nil {
			p.held = kept
		}
		hold := over > 0 && (p.hold == holdAll || p.hold == holdOne && p.held == kept)
		if !hold && p.hold == holdOne {
			over = 0
		}
		p.mutex.Unlock()
		_, failed := client.Write(b[:n-over])
		if hold {
			_, _ = io.Copy(io.Discard, server) // until either side closes the connection
			return
		}
		if failed != nil || over > 0 || err != nil {
			return
		}
	}
}

// CutAfter lets the server send n more bytes before its connections are cut; 0 removes the limit. It forgets the
// recorded bytes.
func (p *Proxy) CutAfter(n int) { p.after(n, cutAll) }

// HoldAfter lets the server send n more bytes before no connection gets any more, although all stay open.
func (p *Proxy) HoldAfter(n int) { p.after(n, holdAll) }

// HoldOneAfter lets the server send n more bytes before one connection gets no more. The others are not affected.
func (p *Proxy) HoldOneAfter(n int) { p.after(n, holdOne) }

func (p *Proxy) after(n int, hold holding) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, kept := range p.sent {
		kept.Reset()
	}
	p.since, p.limit, p.hold, p.held = 0, n, hold, nil
}

// Sent returns the bytes that the server sent, by connection.
func (p *Proxy) Sent() (all [][]byte) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, b := range p.sent {
		all = append(all, bytes.Clone(b.Bytes()))
	}
	return all
}
