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

// Proxy forwards connections to a server, on a TCP port of this machine. It records every byte that the server sends,
// and can cut connections or stop forwarding.
type Proxy struct {
	// DSN is the connection string of the server through the proxy.
	DSN string
	// Address is the host and port on which the proxy listens.
	Address string

	network, server string

	mutex sync.Mutex
	sent  []*bytes.Buffer // what the server sent, by connection
	since int             // how many bytes the server sent since the limit was set
	limit int             // in bytes; 0 if there is no limit
	hold  holding
	held  *bytes.Buffer // the recording of the first connection that was held
}

// holding is what the proxy does with connections at the limit.
type holding int

const (
	cutAll  holding = iota // it closes them
	holdAll                // it keeps all of them open, later ones too, and forwards nothing from the server
	holdOne                // it keeps the first one open without forwarding, and forwards the others
)

// NewProxyTo returns a proxy for the server at a network address. Its DSN is empty.
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

// NewProxy returns a proxy for the PostgreSQL server whose Unix socket a connection string names.
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

// record forwards and records the server's bytes until the connection ends or the limit is reached. At the limit some
// of the bytes below it may not be forwarded either.
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

// CutAfter lets the server send n more bytes before its connections are closed; 0 removes the limit. It clears the
// recording.
func (p *Proxy) CutAfter(n int) { p.after(n, cutAll) }

// HoldAfter lets the server send n more bytes before the proxy forwards none of its bytes any more; all connections
// stay open.
func (p *Proxy) HoldAfter(n int) { p.after(n, holdAll) }

// HoldOneAfter lets the server send n more bytes before the proxy stops forwarding its bytes on one connection. Others
// are not affected.
func (p *Proxy) HoldOneAfter(n int) { p.after(n, holdOne) }

func (p *Proxy) after(n int, hold holding) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, kept := range p.sent {
		kept.Reset()
	}
	p.since, p.limit, p.hold, p.held = 0, n, hold, nil
}

// Sent returns the recorded bytes of the server, by connection.
func (p *Proxy) Sent() (all [][]byte) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, b := range p.sent {
		all = append(all, bytes.Clone(b.Bytes()))
	}
	return all
}
