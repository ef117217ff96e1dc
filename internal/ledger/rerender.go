package ledger

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/dprelease/dprelease/calibrate"
)

// Rerender records a re-rendering of a published release before it becomes visible: the same noisy values in another
// rendering, at no cost. If it is already recorded as the newest of its rendering, Rerender does nothing. Errors:
// ErrDigest; ErrCharge if a text or the folder is not well-formed; a StateError if the release is not published.
func (b *Book) Rerender(ctx context.Context, fingerprint string, number int, d Rerendering) error {
	if err := d.check(); err != nil {
		return err
	}
	k := key{fingerprint, number}
	return b.update(ctx, func(w *writer) error {
		r := w.state.find(fingerprint, number)
		if err := k.checkState(r, Published, KindRerender); err != nil {
			return err
		}
		if r.Withdrawn != nil {
			return &StateError{fingerprint, number, "withdrawn", KindRerender}
		}
		for _, known := range slices.Backward(r.Rerenderings) {
			if known.Rendering == d.Rendering {
				if known.Release == d.Release && known.Dir == d.Dir {
					return nil
				}
				break
			}
		}
		return w.append(KindRerender, rerenderBody{
			Dir: d.Dir, Job: d.Job, Number: number, Rendering: d.Rendering, Release: d.Release, Run: fingerprint,
		})
	})
}

func (d Rerendering) check() error {
	for _, digest := range []string{d.Rendering, d.Release} {
		if err := checkDigest(digest); err != nil {
			return err
		}
	}
	if !filepath.IsAbs(d.Dir) || !utf8.ValidString(d.Dir) || !utf8.ValidString(d.Job) {
		return fmt.Errorf("%w: the folder is not an absolute path, or a text is not UTF-8", ErrCharge)
	}
	return nil
}

// Publication proves that the noisy values of a release are public: the release was charged, sealed and published. Only
// a Book makes one. The zero Publication proves nothing.
type Publication struct{ p *publication }

type publication struct {
	mechanisms map[string]calibrate.Mechanism // the charged mechanisms, by the names of their queries
	share      bool                           // the charge had a DeltaShare
	manifests  []string                       // digests of the manifests of the release and of its re-renderings
}

// Publication returns the proof that a release is published. It returns a StateError if the release is not.
func (b *Book) Publication(ctx context.Context, fingerprint string, number int) (Publication, error) {
	p := &publication{mechanisms: map[string]calibrate.Mechanism{}}
	var refusal error
	err := b.view(ctx, func(s *state) {
		r := s.find(fingerprint, number)
		if refusal = (key{fingerprint, number}).checkState(r, Published, KindRerender); refusal != nil {
			return
		}
		for _, m := range r.Charge.Mechanisms {
			p.mechanisms[m.Query] = m
		}
		p.share, p.manifests = r.share.Sign() > 0, []string{r.Digests.Release}
		for _, d := range r.Rerenderings {
			p.manifests = append(p.manifests, d.Release)
		}
	})
	switch {
	case err != nil:
		return Publication{}, err
	case refusal != nil:
		return Publication{}, refusal
	}
	return Publication{p}, nil
}

// Covers returns an error unless the noisy values of m are public. The published release must have been charged for m,
// or for a mechanism that m is Within, and manifest must be the SHA-256 of its manifest or of a re-rendering's.
// selected is set if the values belong to keys that were selected privately: the charge must then have had a
// DeltaShare. Errors: ErrPublication.
func (p Publication) Covers(m calibrate.Mechanism, manifest string, selected bool) error {
	if p.p == nil {
		return fmt.Errorf("%w: it is empty", ErrPublication)
	}
	charged, known := p.p.mechanisms[m.Query]
	switch {
	case !known || !m.Within(charged):
		return fmt.Errorf("%w: %q was charged otherwise", ErrPublication, m.Query)
	case !slices.Contains(p.p.manifests, manifest):
		return fmt.Errorf("%w: the values of %q are from another release", ErrPublication, m.Query)
	case selected && !p.p.share:
		return fmt.Errorf("%w: no share of delta was charged for the keys of %q", ErrPublication, m.Query)
	}
	return nil
}
