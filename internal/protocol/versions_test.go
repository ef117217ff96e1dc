package protocol_test

import (
	"context"
	"errors"
	"testing"

	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/pipeline"
)

// versioned is an engine whose input keeps versions.
type versioned struct {
	*engine
	version string
	gone    bool // older versions
}

func (v *versioned) Version() string { return v.version }

func (v *versioned) ReadVersion(_ context.Context, version string) error {
	if v.gone {
		return errors.New("gone")
	}
	v.version = version
	return nil
}

// A run that was cut short after its charge reads the version of the input that was charged. If that is gone, it fails,
// and a new release that is asked for reads the newest version under the same charge.
func TestResumedVersion(t *testing.T) {
	cases := []struct {
		gone, again bool
		code, read  string
	}{{false, false, "", "first"}, {false, true, "", "first"}, {true, false, "input-version", ""}, {true, true, "", "second"}}
	for _, c := range cases {
		b := newBench(t)
		b.open = func() pipeline.Engine { return &versioned{engine: b.engine, version: "first"} }
		b.wrap = failing("Stage", errCut)
		if _, err := b.run(t.Context(), nil); !errors.Is(err, errCut) {
			t.Fatal(err)
		}
		b.wrap = nil
		now := &versioned{engine: b.engine, version: "second", gone: c.gone}
		b.open = func() pipeline.Engine { return now }
		o, err := b.run(t.Context(), func(r *protocol.Request) { r.NewRelease = c.again })
		var failed *pipeline.Error
		if c.code != "" {
			if !errors.As(err, &failed) || failed.Code != c.code || b.spent() != "budget reserve" {
				t.Errorf("%+v: %v, ledger %s", c, err, b.spent())
			}
			continue
		}
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		b.expect(o, protocol.StatusReleased, "budget reserve seal publish")
		if now.version != c.read {
			t.Errorf("%+v: the run read %s", c, now.version)
		}
	}
}
