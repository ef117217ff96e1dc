package protocol

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/ledger"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// lookup finds what the ledger knows of the plan's question: the release that the run starts from, and the publications that it may repeat.
func (a *attempt) lookup(ctx context.Context) error {
	runs, err := a.Book.Runs(ctx)
	if err != nil {
		return pipeline.LedgerError("look the run up", err)
	}
	known := a.known(runs)
	a.prior, a.own, a.same, a.ours, a.older, a.waiting, a.derivedIn = ledger.Run{}, newest(runs, a.plan.Run()), nil, map[string]bool{}, false, "", nil
	switch {
	case len(known) > 0:
		a.prior = known[0]
	case a.own.State != "":
		a.prior = a.own // it was given back
	}
	cut := a.prior.Charge
	waiting := a.reserved() && !a.again
	for i := range known {
		r := &known[i]
		if r.State != ledger.Published {
			continue
		}
		a.older = a.older || r.Charge.Run != cut.Run || r.Charge.Number != cut.Number
		a.publications(r)
		if waiting && !a.published() && r.Withdrawn == nil {
			// A new release was begun and cut short: it waits for the next run that asks for it. This one has its answer.
			a.prior, a.waiting = *r, stagingOf(cut.Dir, cut.Run, cut.Number)
		}
	}
	return nil
}

// publications takes those of a published release: all are the question's, some have the plan's presentation.
func (a *attempt) publications(r *ledger.Run) {
	a.ours[r.Digests.Release] = true
	for _, d := range r.Derived {
		a.ours[d.Release] = true
		a.derivedIn = append(a.derivedIn, stagingOf(d.Dir, d.Presentation, r.Charge.Number))
	}
	if r.Withdrawn != nil {
		return // its folders may be moved aside, and are no answer
	}
	for _, d := range slices.Backward(r.Derived) {
		if d.Presentation == a.plan.Presentation() {
			a.same = append(a.same, publication{run: *r, dir: d.Dir, digest: d.Release, derived: true})
			break
		}
	}
	if a.mine(r) {
		a.same = append(a.same, publication{run: *r, dir: r.Charge.Dir, digest: r.Digests.Release})
	}
}

// newest is the newest release under a key, given back or not; the zero Run if there is none.
func newest(runs []ledger.Run, key string) (out ledger.Run) {
	for i := range runs {
		if runs[i].Charge.Run == key && (out.State == "" || runs[i].Charge.Number > out.Charge.Number) {
			out = runs[i]
		}
	}
	return out
}

// known are the releases of the plan's question that were not given back: those under its key, the newest first; then those that an earlier
// version of this program made of the very same job; then those to which a further presentation of the question was added. If there are
// none of these, a published release whose manifest shows that it asked the same.
func (a *attempt) known(runs []ledger.Run) (known []ledger.Run) {
	question, legacy := a.plan.Run(), a.plan.LegacyRun()
	rank := func(r *ledger.Run) int {
		switch {
		case r.State == ledger.Released:
			return 0
		case r.Charge.Run == question:
			return 3
		case r.Charge.Run == legacy:
			return 2
		case slices.ContainsFunc(r.Derived, func(d ledger.Derivation) bool { return d.Question == question }):
			return 1
		}
		return 0
	}
	for i := range runs {
		if rank(&runs[i]) > 0 {
			known = append(known, runs[i])
		}
	}
	slices.SortStableFunc(known, func(x, y ledger.Run) int {
		if d := rank(&y) - rank(&x); d != 0 {
			return d
		}
		return y.Charge.Number - x.Charge.Number
	})
	if len(known) > 0 {
		return known
	}
	for i := range slices.Backward(runs) {
		if a.asksTheSame(&runs[i]) {
			return []ledger.Run{runs[i]}
		}
	}
	return nil
}

// asksTheSame says whether a release under another key, which an earlier version made of a job with another presentation, asked the plan's
// question: by the job in the manifest of one of its folders, if nothing in it came from the environment or from public files.
func (a *attempt) asksTheSame(r *ledger.Run) bool {
	alike := func(x, y calibrate.Mechanism) bool {
		return x.Sens.L2 == y.Sens.L2 && x.Grid == y.Grid && x.Noise == y.Noise
	}
	if r.State != ledger.Published || !a.plan.Bare() || r.Charge.Account != a.plan.Account() ||
		!maps.Equal(r.Charge.Params, a.plan.Params()) || !slices.EqualFunc(r.Charge.Mechanisms, a.plan.Mechanisms(), alike) {
		return false
	}
	published := map[string]string{r.Charge.Dir: r.Digests.Release}
	for _, d := range r.Derived {
		published[d.Dir] = d.Release
	}
	for dir, digest := range published {
		m, ok := a.manifest(dir, digest)
		if !ok || bytes.Contains(m.Job, []byte("${env:")) {
			continue
		}
		return a.plan.AskedBy(m.Job)
	}
	return false
}

// places are where a release may lie that was published at dir: there, or, if all of the job's folders were moved together, where this run
// or its job would publish.
func (a *attempt) places(dir string) []string {
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

// manifest is that of a publication, by its SHA-256; ok is false if it is not in any of its places.
func (a *attempt) manifest(dir, digest string) (m manifest.Manifest, ok bool) {
	for _, place := range a.places(dir) {
		if m, found, err := a.Sink.Manifest(place); err == nil && found == digest {
			return m, true
		}
	}
	return m, false
}

// find returns where a publication lies, whole. The error is that of the place where it was published.
func (a *attempt) find(ctx context.Context, dir, digest string) (found string, err error) {
	for i, place := range a.places(dir) {
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

// mine says whether a release is presented as the plan would present it. What is said for the reader (deployment) was no part of the key of
// earlier versions: it stands in the manifest.
func (a *attempt) mine(r *ledger.Run) bool {
	switch {
	case r.Digests.Presentation != "":
		return r.Digests.Presentation == a.plan.Presentation()
	case r.Charge.Run != a.plan.LegacyRun():
		return false
	}
	m, ok := a.manifest(r.Charge.Dir, r.Digests.Release)
	return !ok || bytes.Equal(deployment(m.Job), deployment(a.plan.Effective()))
}

// deployment is that block of a job, in one form.
func deployment(job []byte) []byte {
	var parsed struct {
		Deployment any `json:"deployment"`
	}
	_ = json.Unmarshal(job, &parsed) // both were written by this program: what is not there is null
	text, _ := json.Marshal(parsed.Deployment)
	return text
}

// source is an intact folder from which the noisy values of a published release can be read.
func (a *attempt) source(ctx context.Context, r *ledger.Run) (dir string, m manifest.Manifest, digest string, err error) {
	candidates := []publication{{dir: r.Charge.Dir, digest: r.Digests.Release}}
	for _, d := range slices.Backward(r.Derived) {
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
		if err := complete(a.plan, dir, &m); err != nil {
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
			Message: "this question is released in another presentation, from which this one cannot be made",
		}
	}
	return "", m, "", &pipeline.Error{
		Cause: pipeline.CauseOutput, Code: codeLost, Err: lost, Hint: hintLost,
		Message: "this question is released in another presentation, to " + r.Charge.Dir + ", which is not there unchanged any more, so that this one cannot be made of its noisy values",
	}
}

const hintIncomplete = "keep the earlier presentation; or pay for a new release with --new-release"

// complete says whether a release of the plan's question holds all noisy values.
func complete(p *pipeline.Plan, dir string, m *manifest.Manifest) error {
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
		case q.Files[at].Rows > mostReadBack:
			return errors.New(dir + ": " + q.Name + " has too many cells to be held")
		}
	}
	return nil
}

// mostReadBack is how many cells of a query are read back at most: 1 GiB for each column.
const mostReadBack = 1 << 27
