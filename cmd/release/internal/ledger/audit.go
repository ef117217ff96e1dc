package ledger

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
)

// ledgerAudit recounts the whole ledger, even if one dataset is requested, and checks the releases near the folders
// that it lists.
func (a *accounts) ledgerAudit(ctx context.Context, o *openedLedger) error {
	audit, err := o.book.Audit(ctx)
	if err != nil {
		return pipeline.LedgerError("audit", err)
	}
	s, err := o.book.Snapshot(ctx)
	if err != nil {
		return pipeline.LedgerError("audit", err)
	}
	seen, lost, err := lostEnds(ctx, s.Runs, o)
	if err != nil {
		return err
	}
	findings := append(append([]string{}, audit.Findings...), lost...)
	if err := a.printAudit(o, audit, seen, findings); err != nil || len(findings) == 0 {
		return err
	}
	return &pipeline.Error{
		Cause: pipeline.CauseCheck, Code: "audit", Message: fmt.Sprintf("%d findings", len(findings)),
		Hint: "keep the ledger as it is and compare it with a copy; make no more releases of its datasets until this is " +
			"explained",
	}
}

func (a *accounts) printAudit(o *openedLedger, audit *ledger.Audit, seen int, findings []string) error {
	rows := [][]string{{"dataset", "unit", "adjacency", "mu2_recounted"}}
	totals := map[string]string{}
	for _, of := range slices.SortedFunc(maps.Keys(audit.Totals), byName) {
		x := Amount(audit.Totals[of], big.ToPositiveInf)
		rows, totals[of.Dataset+"/"+of.Unit+"/"+of.Adjacency] = append(rows,
			[]string{of.Dataset, of.Unit, of.Adjacency, x}), x
	}
	switch {
	case a.JSON:
		return a.PrintJSON(map[string]any{
			"pass": len(findings) == 0, "entries": len(audit.Entries), "head": audit.Head.Hash.String(), "mu2_recounted": totals,
			"releases_compared": seen, "further_publications": audit.Rerenderings, "findings": findings,
		})
	case o.csv:
		return a.printCSV(rows)
	}
	text := console.Aligned(rows)
	for _, f := range findings {
		text += console.Fill("FINDING: %s\n", f)
	}
	return a.Print(text + console.Fill("\n%d entries, an unbroken chain to %s; every total counted anew; %s compared; "+
		"%s, at no cost\n", len(audit.Entries), audit.Head.Hash, spelling.Count(seen, "release folder"),
		spelling.Count(audit.Rerenderings, "re-rendering")))
}

// byName orders accounts by dataset, unit and adjacency.
func byName(x, y ledger.Account) int {
	return cmp.Or(cmp.Compare(x.Dataset, y.Dataset), cmp.Compare(x.Unit, y.Unit), cmp.Compare(x.Adjacency, y.Adjacency))
}

// lostEnds detects a ledger whose newest entries were cut off. A manifest shows the ledger's newest entry at the time
// of its release. lostEnds reads the manifests in the release folders that the ledger lists, and in the folders beside
// these and beside the job's, and reports each manifest of the ledger's datasets whose entry the ledger lacks.
func lostEnds(ctx context.Context, runs []ledger.Run, o *openedLedger) (seen int, findings []string, err error) {
	dirs, datasets := map[string]bool{}, map[string]bool{}
	around := func(dir string) {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return // the working directory was deleted, so the path is unknown
		}
		dirs[dir] = true
		beside, _ := os.ReadDir(filepath.Dir(dir)) // if the folder cannot be read, there is nothing to compare
		for _, entry := range beside {
			dirs[filepath.Join(filepath.Dir(dir), entry.Name())] = true
		}
	}
	for i := range runs {
		datasets[runs[i].Payer.Dataset] = true
		around(runs[i].Charge.Dir)
		for _, d := range runs[i].Rerenderings {
			around(d.Dir)
		}
	}
	if o.job != nil {
		datasets[o.job.Ledger.Dataset] = true
		around(o.job.Path(o.job.Output.Dir))
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		if _, err := os.Stat(filepath.Join(dir, "release.json")); err != nil {
			continue // no error: the release was archived or moved, and the ledger still has its entries
		}
		m, _, err := sink.ReadManifest(dir)
		if err != nil || m.Ledger == nil || !datasets[m.Dataset()] {
			continue // no error: not a release of this ledger, or a damaged one, which verify reports
		}
		seen++
		known, err := runjob.Recall(ctx, o.book, m.Ledger)
		if err != nil {
			return seen, findings, err
		}
		if words := runjob.LostWords(known); words != "" {
			findings = append(findings, console.Here(dir)+": "+words)
		}
	}
	return seen, findings, nil
}
