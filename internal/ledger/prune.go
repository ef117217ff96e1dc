package ledger

import (
	"context"
	"slices"
	"time"
)

// Prune records that the folder of a publication is deleted on purpose. digest is the SHA-256 of the publication's
// manifest; it can be a release or one of its re-renderings. The release stays charged, since its values were seen. A
// second call for the same publication changes nothing. Errors: ErrDigest if the release has no such publication; a
// StateError if the release is not published.
func (b *Book) Prune(ctx context.Context, fingerprint string, number int, digest string) error {
	k := key{fingerprint, number}
	return b.update(ctx, func(w *writer) error {
		r := w.state.find(fingerprint, number)
		if err := k.checkState(r, Published, KindPrune); err != nil {
			return err
		}
		if !r.HasPublication(digest) {
			return ErrDigest
		}
		if _, pruned := r.Pruned[digest]; pruned {
			return nil
		}
		return w.append(KindPrune, pruneBody{Number: number, Release: digest, Run: fingerprint})
	})
}

// HasPublication reports whether digest is the SHA-256 of the manifest of the release or of one of its re-renderings.
func (r *Run) HasPublication(digest string) bool {
	return r.Digests.Release == digest ||
		slices.ContainsFunc(r.Rerenderings, func(d Rerendering) bool { return d.Release == digest })
}

// PrunedIn returns the time at which the newest publication in dir was deleted on purpose. ok is false if it was not
// deleted, or if the run published nothing in dir.
func (r *Run) PrunedIn(dir string) (at time.Time, ok bool) {
	for _, d := range slices.Backward(r.Rerenderings) {
		if d.Dir == dir {
			at, ok = r.Pruned[d.Release]
			return at, ok
		}
	}
	if r.Charge.Dir == dir {
		at, ok = r.Pruned[r.Digests.Release]
	}
	return at, ok
}

func (s *state) applyPrune(e Entry) error {
	b, err := decode[pruneBody](e)
	if err != nil {
		return err
	}
	r := s.find(b.Run, b.Number)
	if r == nil || r.State != Published || !r.HasPublication(b.Release) || !r.Pruned[b.Release].IsZero() {
		return &CorruptError{e.Seq, "it prunes what is not published, or twice"}
	}
	if r.Pruned == nil {
		r.Pruned = map[string]time.Time{}
	}
	r.Pruned[b.Release] = e.Time
	return nil
}
