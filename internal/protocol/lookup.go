package protocol

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// lookup searches the ledger for releases with the plan's fingerprint. It sets prior, the release to repeat, resume or
// follow, and the publications that can be repeated.
func (a *attempt) lookup(ctx context.Context) error {
	runs, err := a.Book.Runs(ctx)
	if err != nil {
		return pipeline.LedgerError("look the run up", err)
	}
	known := a.ownReleases(runs)
	a.prior, a.own, a.same, a.ours, a.older, a.waiting, a.rerenderStagings = ledger.Run{}, newest(runs,
		a.plan.Fingerprint()), nil, map[string]bool{}, false, "", nil
	switch {
	case len(known) > 0:
		a.prior = known[0]
	case a.own.State != "":
		a.prior = a.own // the newest release was cancelled
	}
	cut := a.prior.Charge
	waiting := a.reserved() && !a.newRelease
	for i := range known {
		r := &known[i]
		if r.State != ledger.Published {
			continue
		}
		a.older = a.older || r.Charge.Number != cut.Number
		a.publications(r)
		if waiting && !a.published() && r.Withdrawn == nil {
			// A new release was begun and interrupted. It waits for the next run with --new-release; this run repeats
			// the older one.
			a.prior, a.waiting = *r, stagingOf(cut.Dir, cut.Run, cut.Number)
		}
	}
	return nil
}

// publications records the publications of a published release, and which of them have the plan's rendering.
func (a *attempt) publications(r *ledger.Run) {
	a.ours[r.Digests.Release] = true
	for _, d := range r.Rerenderings {
		a.ours[d.Release] = true
		a.rerenderStagings = append(a.rerenderStagings, stagingOf(d.Dir, d.Rendering, r.Charge.Number))
	}
	if r.Withdrawn != nil {
		return // publications of a withdrawn release are not repeated
	}
	for _, d := range slices.Backward(r.Rerenderings) {
		if d.Rendering == a.plan.Rendering() {
			a.same = append(a.same, publication{run: *r, dir: d.Dir, digest: d.Release, rerendered: true})
			break
		}
	}
	if a.hasRendering(r) {
		a.same = append(a.same, publication{run: *r, dir: r.Charge.Dir, digest: r.Digests.Release})
	}
}

// newest returns the newest release whose fingerprint is key, cancelled or not; the zero Run if there is none.
func newest(runs []ledger.Run, key string) (out ledger.Run) {
	for i := range runs {
		if runs[i].Charge.Run == key && (out.State == "" || runs[i].Charge.Number > out.Charge.Number) {
			out = runs[i]
		}
	}
	return out
}

// ownReleases returns the releases with the plan's fingerprint that were not cancelled, the newest first.
func (a *attempt) ownReleases(runs []ledger.Run) (known []ledger.Run) {
	for _, r := range runs {
		if r.Charge.Run == a.plan.Fingerprint() && r.State != ledger.Cancelled {
			known = append(known, r)
		}
	}
	slices.SortFunc(known, func(x, y ledger.Run) int { return y.Charge.Number - x.Charge.Number })
	return known
}

// searchFolders returns the folders that can hold a release that was published at dir: dir itself, and then the folders
// to which this run and its job publish, in case the folders were moved together.
func (a *attempt) searchFolders(dir string) []string {
	out := []string{dir}
	own, err := filepath.Abs(a.plan.Job().Path(a.plan.Job().Output.Dir))
	if err != nil {
		own = a.dir
	}
	for _, other := range []string{a.dir, own} {
		if other != "" && !slices.Contains(out, other) {
			out = append(out, other)
		}
	}
	return out
}

// find returns the folder with an unchanged copy of the publication with this manifest digest. It was published at dir;
// if no folder has it, the error is the one for dir.
func (a *attempt) find(ctx context.Context, dir, digest string) (found string, err error) {
	for i, place := range a.searchFolders(dir) {
		found, other := a.Sink.Find(ctx, place, digest)
		if other == nil {
			return found, nil
		}
		if i == 0 {
			err = other
		}
	}
	return "", err
}

// hasRendering reports whether r has the plan's rendering.
func (a *attempt) hasRendering(r *ledger.Run) bool { return r.Digests.Rendering == a.plan.Rendering() }

// source returns an unchanged folder with the noisy values of a published release, with its manifest and the manifest's
// digest.
func (a *attempt) source(ctx context.Context, r *ledger.Run) (dir string, m manifest.Manifest, digest string,
	err error) {
	candidates := []publication{{dir: r.Charge.Dir, digest: r.Digests.Release}}
	for _, d := range slices.Backward(r.Rerenderings) {
		candidates = append(candidates, publication{dir: d.Dir, digest: d.Release})
	}
	var sparse, lost error
	for _, c := range candidates {
		dir, err := a.find(ctx, c.dir, c.digest)
		if err != nil {
			lost = errors.Join(lost, err)
			continue
		}
		m, digest, err := a.Sink.Manifest(dir)
		switch {
		case err != nil:
			return "", m, "", pipeline.OutputError(err)
		case digest != c.digest:
			lost = errors.Join(lost, pipeline.ErrIncomplete)
			continue
		}
		if err := checkNoisyValues(a.plan, dir, &m); err != nil {
			sparse = errors.Join(sparse, err)
			continue
		}
		return dir, m, digest, nil
	}
	if err := ctx.Err(); err != nil {
		return "", m, "", err
	}
	if sparse != nil {
		return "", m, "", &pipeline.Error{
			Cause: pipeline.CauseOutput, Code: "incomplete-source", Err: sparse, Hint: hintIncomplete,
			Message: "this job is released in another rendering, from which this one cannot be made",
		}
	}
	return "", m, "", &pipeline.Error{
		Cause: pipeline.CauseOutput, Code: codeLost, Err: lost, Hint: hintLost,
		Message: "this job is released in another rendering, to " + r.Charge.Dir +
			", which was changed or removed, so that this one cannot be made from its noisy values",
	}
}

const hintIncomplete = "keep the earlier rendering; or pay for a new release with --new-release"

// checkNoisyValues returns an error if the release in dir lacks noisy values that the plan's queries need.
func checkNoisyValues(p *pipeline.Plan, dir string, m *manifest.Manifest) error {
	planned := p.Queries()
	if len(m.Queries) != len(planned) {
		return errors.New(dir + " has other queries")
	}
	for i := range planned {
		q := &m.Queries[i]
		_, follows := planned[i].Leader()
		at := slices.IndexFunc(q.Files, func(f manifest.File) bool { return f.Holds == "" })
		switch cells := planned[i].Query.Cells(); {
		case q.Publish != nil:
			return errors.New(dir + ": " + q.Name + " is published by a rule that leaves cells out")
		case at < 0:
			return errors.New(dir + " has no table of " + q.Name)
		case !planned[i].Selected() && !follows && q.Files[at].Rows != cells:
			return errors.New(dir + ": " + q.Name + " is sparse: it has only the cells whose estimate is not zero")
		case q.Files[at].Rows > maxReadBack:
			return errors.New(dir + ": " + q.Name + " has too many cells to be held")
		}
	}
	return nil
}

// maxReadBack is the maximum number of cells of a query that are read back from a release: 1 GiB for each column.
const maxReadBack = 1 << 27
