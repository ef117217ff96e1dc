package protocol_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/pipeline"
)

// versioned is an engine whose input keeps versions.
type versioned struct {
	*engine
	version string
	failure error // the error of reading older versions
}

func (v *versioned) Version() string { return v.version }

func (v *versioned) ReadVersion(_ context.Context, version string) error {
	if v.failure != nil {
		return v.failure
	}
	v.version = version
	return nil
}

// A run that was interrupted after its charge reads the charged version of the input. If that version is gone, it
// fails, and a requested new release reads the newest version under the same charge. If the version cannot be read for
// another reason, both fail.
func TestResumedVersion(t *testing.T) {
	unreachable := &pipeline.Error{Cause: pipeline.CauseInput, Code: "sql"}
	cases := []struct {
		failure    error
		again      bool
		code, read string
	}{
		{nil, false, "", "first"}, {nil, true, "", "first"},
		{pipeline.ErrVersionGone, false, "input-version", ""}, {pipeline.ErrVersionGone, true, "", "second"},
		{unreachable, false, "sql", ""}, {unreachable, true, "sql", ""},
	}
	for _, c := range cases {
		b := newBench(t)
		b.open = func() pipeline.Engine { return &versioned{engine: b.engine, version: "first"} }
		b.wrap = failing("Stage", errCut)
		if _, err := b.run(t.Context(), nil); !errors.Is(err, errCut) {
			t.Fatal(err)
		}
		b.wrap = nil
		now := &versioned{engine: b.engine, version: "second", failure: c.failure}
		b.open = func() pipeline.Engine { return now }
		o, err := b.run(t.Context(), func(r *protocol.Request) { r.NewRelease = c.again })
		var failed *pipeline.Error
		if c.code != "" {
			if !errors.As(err, &failed) || failed.Code != c.code || b.spent() != "budget reserve" {
				t.Errorf("%+v: %v, ledger %s", c, err, b.spent())
			}
			if c.code == "input-version" && !strings.Contains(failed.Message, "first") {
				t.Errorf("%+v: the message does not name the version: %s", c, failed.Message)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		b.expect(o, protocol.StatusReleased, "budget reserve seal publish")
		if now.version != c.read || (o.Gone != "") != (c.failure != nil) {
			t.Errorf("%+v: the run read %s, and reports that %q is gone", c, now.version, o.Gone)
		}
	}
}
