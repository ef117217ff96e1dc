package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// ledger checks the manifest against the ledger.
func (v *verifying) ledger(ctx context.Context) error {
	if !v.readable {
		v.add("ledger", skipped, "the manifest cannot be read")
		return nil
	}
	store, err := v.store()
	if err != nil {
		return err
	}
	if store != "" {
		how := ""
		if v.flags.job == "" {
			how = "; --job checks the ledger of a job"
		}
		return v.inLedger(ctx, store, how)
	}
	const found = ", found beside the folder; --job checks another ledger"
	empty := "" // the nearest ledger without entries: they may be lost, or the ledger may belong to another job
	for _, path := range jobs.LedgersNear(v.dir) {
		known, used, err := v.knows(ctx, path)
		switch {
		case err != nil:
			v.add("ledger", failed, "%s: %v", console.Here(path), err)
			return nil
		case known:
			return v.inLedger(ctx, "sqlite:"+path, found)
		case !used && empty == "":
			empty = path
		}
	}
	if empty != "" {
		return v.inLedger(ctx, "sqlite:"+empty, found)
	}
	v.add("ledger", skipped, "no ledger of dataset %s is near; name it with --job or --store", v.manifest.Dataset())
	return nil
}

// absent returns an error if a ledger knows why there is no folder: its run was cut short before it published, the verb
// prune deleted the folder, or the folder was published and is lost.
func (v *verifying) absent(ctx context.Context) error {
	store, err := v.store()
	if err != nil {
		return err
	}
	for _, store := range jobs.Stores(store, v.dir) {
		book, err := runjob.OpenStore(ctx, store, false)
		if err != nil {
			return err
		}
		runs, err := book.Runs(ctx)
		if err = errors.Join(err, book.Close()); err != nil {
			return pipeline.LedgerError("read the ledger", err)
		}
		for i := range slices.Backward(runs) {
			if err := v.absentBy(&runs[i], jobs.ShownStore(store)); err != nil {
				return err
			}
		}
	}
	return nil
}

// absentBy returns an error that tells why the folder does not exist, if it belongs to the run r; nil otherwise.
func (v *verifying) absentBy(r *ledger.Run, store string) error {
	at, pruned := r.PrunedIn(v.dir)
	switch here := console.Here(v.dir); {
	case pruned:
		return &pipeline.Error{Cause: pipeline.CauseOutput, Code: "pruned", Message: "release prune deleted " +
			here + " on " + at.UTC().Format(time.DateOnly) + ", by " + store,
			Hint: "restore the folder from a copy to verify it; the ledger still has its release and its charge"}
	case r.State == ledger.Cancelled:
		return nil
	case r.Charge.Dir == v.dir && r.State != ledger.Published:
		return &pipeline.Error{Cause: pipeline.CauseOutput, Code: "output", Message: "there is no release in " + here +
			" yet, by " + store, Hint: jobs.WaitingText(r, time.Now())}
	case r.Charge.Dir == v.dir || slices.ContainsFunc(r.Rerenderings,
		func(d ledger.Rerendering) bool { return d.Dir == v.dir }):
		return &pipeline.Error{Cause: pipeline.CauseOutput, Code: "output", Message: "a release was published in " + here +
			", by " + store + ", and the folder is gone", Hint: "restore the folder from a copy to verify it"}
	}
	return nil
}

// store returns the name of the ledger that the flags --store and --job give; "" if they are not given.
func (v *verifying) store() (string, error) {
	switch f := v.flags; {
	case f.job != "" && f.store != "":
		return "", console.Usagef("--job and --store exclude each other")
	case f.job == "":
		return f.store, nil
	}
	return v.flags.StoreOf(v.Console, v.flags.job)
}

// knows reports whether the ledger at path has the release's dataset (known), and whether it has any dataset (used). If
// the manifest hides a part of the dataset's name, known is true.
func (v *verifying) knows(ctx context.Context, path string) (known, used bool, err error) {
	book, err := runjob.OpenStore(ctx, "sqlite:"+path, false)
	if err != nil {
		return false, false, err
	}
	defer book.Close() // nothing is lost: the ledger was only read
	s, err := book.Snapshot(ctx)
	if err != nil {
		return false, false, err
	}
	name, secret := v.manifest.Dataset(), strings.Contains(v.manifest.Dataset(), "${env:")
	return secret || slices.ContainsFunc(s.Accounts,
		func(b ledger.Balance) bool { return b.Account.Dataset == name }), len(s.Accounts) > 0, nil
}

// inLedger checks the manifest against one ledger. how tells the user how the ledger was found.
func (v *verifying) inLedger(ctx context.Context, store, how string) error {
	book, err := runjob.OpenStore(ctx, store, false)
	if err != nil {
		return err
	}
	defer book.Close() // nothing is lost: the ledger was only read
	audit, err := book.Audit(ctx)
	if err != nil {
		return pipeline.LedgerError("audit", err)
	}
	runs, err := book.Runs(ctx)
	if err != nil {
		return pipeline.LedgerError("audit", err)
	}
	findings := append(slices.Clone(audit.Findings), v.compare(runs)...)
	if l := v.manifest.Ledger; l == nil {
		findings = append(findings, "the manifest does not show the ledger's newest entry")
	} else {
		known, err := runjob.Recall(ctx, book, l)
		if err != nil {
			return err
		}
		if words := runjob.LostWords(known); words != "" {
			findings = append(findings, words)
		}
	}
	for _, f := range findings {
		v.add("ledger", failed, "%s: %s%s", jobs.ShownStore(store), f, how)
	}
	if len(findings) == 0 {
		v.add("ledger", passed, "the release is recorded in %s (%s)%s%s", jobs.ShownStore(store), entries(len(audit.Entries)),
			how, unpublishedWords(jobs.RunOf(runs, v.digest)))
	}
	return nil
}

// unpublishedWords returns how to end the run of a release whose publication its ledger does not record: the run is at
// work, or was cut short after it renamed the folder. It returns "" for other runs.
func unpublishedWords(r *ledger.Run) string {
	if r == nil || r.State == ledger.Published || r.State == ledger.Cancelled {
		return ""
	}
	return "; it is charged, and not recorded as published: the same run again records that at no cost"
}

// compare returns the differences between the ledger and the manifest.
func (v *verifying) compare(runs []ledger.Run) (findings []string) {
	r := jobs.RunOf(runs, v.digest)
	if r == nil {
		findings = append(findings, "the ledger has no release with this manifest")
		// If the manifest was changed, the ledger does not have its digest. But the ledger has its job: the job's
		// newest run shows the change.
		for i := range slices.Backward(runs) {
			if c := &runs[i].Charge; c.Job == v.manifest.Name && maps.Equal(c.Params, v.manifest.Params) {
				return append(findings, v.against(c)...)
			}
		}
		return findings
	}
	if w := r.Withdrawn; w != nil {
		findings = append(findings, fmt.Sprintf("the release was withdrawn on %s: %s", w.At.UTC().Format(time.DateOnly),
			w.Reason))
	}
	return append(findings, v.against(&r.Charge)...)
}

// against returns the differences between the manifest and a charge.
func (v *verifying) against(c *ledger.Charge) (findings []string) {
	if !slices.EqualFunc(c.Mechanisms, v.manifest.Mechanisms(), sameNoise) {
		findings = append(findings, "the ledger was charged for other mechanisms than the manifest states")
	}
	if charged := v.manifest.Charged(); charged != nil && !slices.EqualFunc(c.Mechanisms, charged, sameCharge) {
		findings = append(findings,
			"the ledger was charged another noise for what was found in the run than the manifest states")
	}
	if cmp.Or(c.DeltaShare, "0") != v.manifest.Privacy.DeltaFailure {
		findings = append(findings, "the ledger was charged for another share of delta than the manifest states")
	}
	unit := configs.Unit{Columns: v.manifest.Privacy.Unit}
	if u := v.manifest.Privacy.Upstream; u != nil {
		unit = configs.Unit{Upstream: &configs.Upstream{Name: u.Name}}
	} else if slices.Equal(unit.Columns, manifest.UnitColumns(nil)) {
		unit.Columns = nil
	}
	if c.Account.Adjacency != v.manifest.Privacy.Adjacency || c.Account.Unit != pipeline.UnitText(unit) {
		findings = append(findings, "the ledger was charged for another unit or other neighbours than the manifest states")
	}
	// This program may be unable to parse a job of another build. Then only the manifest's digest is compared.
	if job, err := parseJob(&v.manifest, ""); err == nil && !sameTables(job, c.Units) {
		findings = append(findings, "the ledger was charged for other units of tables than the job in the manifest names")
	}
	return findings
}

// sameTables reports whether the ledger recorded the same units of tables as the job names. It must have recorded all
// tables that the job's queries read, and may have recorded others.
func sameTables(job *configs.Job, recorded map[string]string) bool {
	for i := range job.Queries {
		if _, known := recorded[job.Queries[i].From]; len(job.Privacy.Unit.Columns) > 0 && !known {
			return false
		}
	}
	for name, unit := range recorded {
		_, known := job.Input.Tables[name]
		known = known || name == "" && len(job.Input.Tables) == 0 // "" is the name of the only table
		if !known || job.TableUnit(name) != unit {
			return false
		}
	}
	return true
}

func sameNoise(a, b calibrate.Mechanism) bool {
	if a.ChosenBy != "" && b.ChosenBy != "" {
		b.ChosenBy = a.ChosenBy // a re-rendering may have renamed it; the order of mechanisms tells which one it is
	}
	return b.Within(a)
}

// sameCharge reports whether the manifest states the same charged noise as the ledger.
func sameCharge(a, b calibrate.Mechanism) bool { return a.Sens.L2 == b.Sens.L2 && a.Sigma == b.Sigma }

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}
