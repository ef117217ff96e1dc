package beam_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/dprelease/dprelease/configs"
	dpbeam "github.com/dprelease/dprelease/full/beam"
	"github.com/dprelease/dprelease/full/beam/verb/wiretest"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/io/store/storetest"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
)

// wire records every byte of every connection between the workers, the submitter and the runner. It replaces Beam's
// dialer.
type wire struct {
	mutex sync.Mutex
	ways  []*way
}

// way holds the bytes that one end of a connection sent.
type way struct {
	wire   *wire
	client bool // sent by the end that dialed
	bytes.Buffer
}

// Write keeps bytes.
func (w *way) Write(p []byte) (int, error) {
	w.wire.mutex.Lock()
	defer w.wire.mutex.Unlock()
	return w.Buffer.Write(p)
}

// recorded is a connection whose bytes are recorded.
type recorded struct {
	net.Conn
	sent, received *way
}

// Read records the bytes of the other end.
func (r recorded) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	_, _ = r.received.Write(p[:n]) // to memory
	return n, err
}

// Write records the bytes of this end.
func (r recorded) Write(p []byte) (int, error) {
	_, _ = r.sent.Write(p) // to memory
	return r.Conn.Write(p)
}

// capture replaces Beam's dialer until the test ends.
func capture(t *testing.T) *wire {
	t.Helper()
	w, before := &wire{}, grpcx.Dial
	t.Cleanup(func() { grpcx.Dial = before })
	dialer := func(ctx context.Context, address string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			return nil, err
		}
		w.mutex.Lock()
		defer w.mutex.Unlock()
		r := recorded{c, &way{wire: w, client: true}, &way{wire: w}}
		w.ways = append(w.ways, r.sent, r.received)
		return r, nil
	}
	grpcx.Dial = func(_ context.Context, endpoint string, _ time.Duration) (*grpc.ClientConn, error) {
		return grpc.NewClient("passthrough:///"+endpoint, grpc.WithContextDialer(dialer),
			grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)))
	}
	return w
}

// messages returns the recorded bytes: all bytes of each direction of each connection, and the data of each stream
// without its frames.
func (w *wire) messages(t *testing.T) [][]byte {
	t.Helper()
	w.mutex.Lock()
	defer w.mutex.Unlock()
	var all [][]byte
	for _, one := range w.ways {
		raw := bytes.Clone(one.Bytes())
		all = append(all, raw)
		if one.client {
			var ok bool
			if raw, ok = bytes.CutPrefix(raw, []byte(http2.ClientPreface)); !ok && len(raw) > 0 {
				t.Fatal("a connection is not HTTP/2")
			}
		}
		streams := map[uint32]*bytes.Buffer{}
		f := http2.NewFramer(io.Discard, bytes.NewReader(raw))
		f.SetMaxReadFrameSize(1<<24 - 1)
		for {
			frame, err := f.ReadFrame()
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if d, ok := frame.(*http2.DataFrame); ok {
				if streams[d.StreamID] == nil {
					streams[d.StreamID] = &bytes.Buffer{}
				}
				streams[d.StreamID].Write(d.Data())
			}
		}
		for _, s := range streams {
			all = append(all, s.Bytes())
		}
	}
	return all
}

const wireJob = `
version: 1
name: public-name-of-the-job
privacy: {epsilon: 1, delta: 1e-6, unit: [person, number], per_unit: {max_rows: 3}}
input: {files: [all.csv], csv: {types: {number: int, amount: float}}}
queries:
  - name: found
    histogram: {by: [{column: town, keys: discover}]}
    per_unit: {max_groups: 2}
  - name: amounts
    sum: {column: amount, clamp: [0, 1e9]}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: wire, budget: {epsilon: 20, delta: 1e-3}}
`

// The traffic between the runner, the workers and the submitter contains no unit, value or key of a row, and not the
// key of the run. The test also finds the pipeline's public parts in it, which shows that the capture works.
func TestWireHasNoRows(t *testing.T) {
	const (
		person = "unit-marker-Qx7vB"
		town   = "key-marker-Zr4nW"
		number = int64(0x5a17c0deface0ff1)
		amount = 123456789.0625
	)
	dir := t.TempDir()
	var table strings.Builder
	table.WriteString("person,number,town,amount\n")
	for i := range 20_000 {
		fmt.Fprintf(&table, "%s%d,%d,%s%d,%v\n", person, i%700, number, town, i%3, amount)
	}
	path := filepath.Join(dir, "job.yaml")
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "all.csv"), []byte(table.String()), 0o600),
		os.WriteFile(path, []byte(wireJob), 0o600)); err != nil {
		t.Fatal(err)
	}
	p := enginetest.Plan(t, path, []byte(wireJob))
	data, err := source.Open(t.Context(), source.Options{Dir: dir, Files: p.Job().Input.Files,
		CSV: textfile.CSV{Header: true, Types: p.Job().Input.CSV.Types, Delimiter: ','}, Key: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	w := capture(t)
	e := onPrism{local.New(data, 2), t, 3}
	defer e.Close()
	if _, err := e.Aggregate(t.Context(), p, pipeline.Silent{}); err != nil {
		t.Fatal(err)
	}
	sent := w.messages(t)
	total := 0
	for _, m := range sent {
		total += len(m)
	}
	if !wiretest.Find(sent, []byte(program)) || !wiretest.Find(sent, []byte("dprelagg")) || total < 20_000 {
		t.Fatalf("the capture of %d bytes lacks what is public: the job and the marks of encrypted messages", total)
	}
	text := os.Getenv(dpbeam.KeyVariable)
	raw, err := base64.StdEncoding.DecodeString(text[strings.LastIndexByte(strings.TrimSpace(text), ' ')+1:])
	if err != nil {
		t.Fatal(err)
	}
	bits := math.Float64bits(amount)
	private := map[string][]byte{
		"unit": []byte(person), "key": []byte(town), "number": fmt.Append(nil,
			number), "amount": []byte("123456789.0625"), "amount as an exponent": []byte("1.234567890625e"),
		"number, little-endian": binary.LittleEndian.AppendUint64(nil,
			uint64(number)), "number, big-endian": binary.BigEndian.AppendUint64(nil, uint64(number)),
		"number, ordered": binary.BigEndian.AppendUint64(nil, uint64(number)^1<<63),
		"amount, little-endian": binary.LittleEndian.AppendUint64(nil,
			bits), "amount, big-endian": binary.BigEndian.AppendUint64(nil, bits),
		"key of the run": []byte(text[:60]), "secret of the run": raw[:32],
	}
	for what, marker := range private {
		if wiretest.Find(sent, marker) {
			t.Errorf("%s is on the wire", what)
		}
	}
}

// storeJob reads two objects, one by a URL with options and one by a URL with a job parameter, and the keys of a query
// from a third object.
const storeJob = `
version: 1
name: in-a-store
params: {day: canary-of-a-parameter}
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 3}}
input: {files: ["s3://bucket/${day}/a.csv?region=canary-of-an-option", "s3://bucket/${day}/b.csv?${env:TEST_OPTIONS}"], csv: {types: {person: int}}}
queries:
  - {name: towns, histogram: {by: [{column: town, values_from: {file: "s3://bucket/towns.csv?region=canary-of-a-public-file", column: town}}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: wire, budget: {epsilon: 20, delta: 1e-3}}
`

// The traffic between the runner, the workers and the submitter contains nothing of a URL or of the job. The answers
// equal the local engine's over files.
func TestWireHasNoAddress(t *testing.T) {
	dir := t.TempDir()
	m := storetest.New()
	store.Register("s3", m.Opener)
	t.Setenv("TEST_OPTIONS", "region=canary-of-the-environment")
	for _, name := range []string{"a", "b"} {
		var table strings.Builder
		table.WriteString("person,town\n")
		for i := range 5_000 {
			fmt.Fprintf(&table, "%d,%s\n", i%700, []string{"Ulm", "Bonn", "Kiel"}[i%3])
		}
		m.Set("canary-of-a-parameter/"+name+".csv", []byte(table.String()))
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte(table.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m.Set("towns.csv", []byte("town\nUlm\nBonn\n"))
	path := filepath.Join(dir, "job.yaml")
	if err := os.WriteFile(path, []byte(storeJob), 0o600); err != nil {
		t.Fatal(err)
	}
	job, diags := configs.Parse(path, []byte(storeJob), configs.ParseOptions{Env: os.LookupEnv, CheckStep: pipeline.CheckStep})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	p, diags := pipeline.New(job, func(file, column string, aligned bool) ([]string,
		error) {
		return source.ReadColumn(t.Context(), file, column, aligned)
	})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	files, err := source.Open(t.Context(), source.Options{Dir: dir, Files: []string{"a.csv", "b.csv"},
		CSV: textfile.CSV{Header: true, Types: job.Input.CSV.Types, Delimiter: ','}, Key: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	w, e := capture(t), onPrism{local.New(files, 2), t, 3}
	defer e.Close()
	want, err := e.Engine.Aggregate(t.Context(), p, pipeline.Silent{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.Aggregate(t.Context(), p, pipeline.Silent{})
	if err != nil {
		t.Fatal(err)
	}
	_, a := mechanismtest.OpenWide(t, got.Exacts[0][0])
	_, b := mechanismtest.OpenWide(t, want.Exacts[0][0])
	if fmt.Sprint(a) != fmt.Sprint(b) || len(a) != 2 || !bytes.Equal(got.Input, want.Input) {
		t.Errorf("the answers over objects are %v, those over files %v", a, b)
	}
	sent := w.messages(t)
	if !wiretest.Find(sent, []byte(`"Encrypted":"`)) {
		t.Fatal("the capture lacks what workers are told")
	}
	for _, private := range []string{"canary-of", "s3://bucket", "towns.csv", "TEST_OPTIONS", "max_rows", "in-a-store"} {
		if wiretest.Find(sent, []byte(private)) {
			t.Errorf("%s is on the wire", private)
		}
	}
}
