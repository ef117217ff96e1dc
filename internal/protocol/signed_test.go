package protocol_test

import (
	"path/filepath"
	"testing"

	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
)

type testSigner string

func (s testSigner) PublicKey() string       { return string(s) }
func (testSigner) Format() string            { return "test" }
func (s testSigner) Sign(text []byte) []byte { return append([]byte(s+" signs "), text[:10]...) }

// A release that an earlier run staged without a signature is signed when the run is resumed. A release that it sealed
// is not published under --sign.
func TestSignedWhenTakenUp(t *testing.T) {
	for _, before := range []pipeline.Signer{nil, testSigner("another key"), testSigner("a key")} {
		b := newBench(t)
		b.signer = before
		b.staged()
		b.signer = testSigner("a key")
		o := b.must(nil)
		b.expect(o, protocol.StatusFinished, once)
		if key, err := sink.New().SignedBy(o.Dir); key != "a key" || err != nil {
			t.Errorf("first signed by %v, then by %q (%v)", before, key, err)
		}
		if _, signature, err := sink.ReadSigned(o.Dir); err != nil || string(signature) != "a key signs {\n  \"forma" {
			t.Errorf("signature %q (%v)", signature, err)
		}
	}
	b := newBench(t)
	b.cut("Publish") // sealed
	b.signer = testSigner("a key")
	_, err := b.run(t.Context(), nil)
	wantError(t, err, pipeline.CauseOutput, "unsigned")
	if _, err := sink.New().Inspect(t.Context(), filepath.Join(b.dir, "out")); err == nil {
		t.Error("it was published without a signature")
	}
	b.signer = nil
	b.expect(b.must(nil), protocol.StatusFinished, once)
}
