package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
)

const pruneLong = `prune lists the folders of releases that are no longer needed and, with --delete, deletes them. The
ledger records each deletion first, so that status, ledger show and run say pruned instead of gone. What a release cost
stays spent, since its values were seen.

  --withdrawn   releases that were withdrawn
  --replaced    releases that a newer one replaced, which moved their folder aside
  --keep N      of each job, all but the N newest data intervals
  --older-than  together with the others, what is older as well; alone, everything that is older, by days such as 400d

Releases are of one job if the dataset, the unit, the adjacency, the name and all parameters but dates are the same. A
parameter is a date if its value is written as 2013-02-01 or 2013-02; a year alone, such as 2013, is not taken for one,
since it may be any number.

prune deletes only folders that the ledger has and that are unchanged, to the byte, and looks again at each before it
deletes it. It keeps the newest release of each job, folders with files that do not belong to the release, and folders
that a symbolic link leads to, and says so. A deletion that was cut short is finished by the same command.`

// pruning holds the flags of the verb prune.
type pruning struct {
	ledgerFlags
	withdrawn, replaced, delete bool
	keep                        int
	counted                     bool // the user gave --keep
	age                         string
}

// PruneCommand returns the verb prune.
func PruneCommand(c *console.Console) *cobra.Command {
	a, f := &accounts{c}, &pruning{}
	cmd := &cobra.Command{
		Use: "prune JOB|--store DSN", Short: "Delete the folders of releases that are no longer needed", Long: pruneLong,
		Args: cobra.MaximumNArgs(1),
		Example: "  release prune job.yaml --withdrawn --replaced\n  release prune job.yaml --keep 90 --older-than " +
			"400d --delete",
		RunE: func(cmd *cobra.Command, args []string) error {
			f.counted = cmd.Flags().Changed("keep")
			return a.prune(cmd.Context(), f, args)
		},
	}
	f.AddParams(cmd)
	cmd.Flags().StringVar(&f.store, "store", "",
		"the ledger, instead of a job: sqlite:PATH, sqlite+group:PATH or postgres://…")
	cmd.Flags().StringVar(&f.dataset, "dataset", "", "the dataset; by default the job's, or all of the store")
	cmd.Flags().BoolVar(&f.withdrawn, "withdrawn", false, "releases that were withdrawn")
	cmd.Flags().BoolVar(&f.replaced, "replaced", false, "releases that a newer one replaced")
	cmd.Flags().IntVar(&f.keep, "keep", 0, "all but this many of the newest data intervals of each job")
	cmd.Flags().StringVar(&f.age, "older-than", "", "only what was released more than this many days ago, such as 400d")
	cmd.Flags().BoolVar(&f.delete, "delete", false, "delete the folders; without it they are only listed")
	cmd.Flags().BoolVar(&c.JSON, "json", false, "print JSON")
	return cmd
}

// publication is a folder that the ledger lists: a release, or a re-rendering of one.
type publication struct {
	run       *ledger.Run
	series    series
	interval  string // the dates in the run's parameters
	digest    string // SHA-256 of its manifest
	dir       string // the folder in which it was published
	at        time.Time
	found     string // the folder in which it is now, unchanged; "" if it is not found
	replaced  bool   // a newer release replaced it and moved it to found
	unchanged error  // the error because of which it was not found unchanged
}

// series identifies a dated job: publications of one series differ only in their dates.
type series struct {
	account ledger.Account // the account that its runs charge
	job     string         // the job's name and its parameters, without dates
}

// pruned is one line of the list that prune prints.
type pruned struct {
	Folder   string `json:"folder"`
	Dataset  string `json:"dataset"`
	Job      string `json:"job"`
	Interval string `json:"interval"`
	Released string `json:"released"`
	Why      string `json:"why"`
	State    string `json:"state"`
}

// The states of a folder in this list.
const (
	pruneListed  = "would be deleted"
	pruneDeleted = "deleted"
	pruneKept    = "kept"
)

func (a *accounts) prune(ctx context.Context, f *pruning, args []string) error {
	days, err := f.days()
	if err != nil {
		return err
	}
	o, err := a.openLedger(ctx, &f.ledgerFlags, args)
	if err != nil {
		return err
	}
	defer o.book.Close() // nothing is lost: each entry was durable when it was made
	s, err := o.snapshot(ctx)
	if err != nil {
		return err
	}
	if s.Moved != nil {
		return pipeline.LedgerError("prune", &ledger.MovedError{Move: *s.Moved})
	}
	all, err := publications(ctx, s.Runs)
	if err != nil {
		return err
	}
	lines := []pruned{}
	for _, p := range all {
		why := f.reason(p, all, days)
		if why == "" {
			continue
		}
		line := pruned{Folder: p.found, Dataset: p.series.account.Dataset, Job: p.series.job, Interval: p.interval,
			Released: p.at.UTC().Format(time.DateOnly), Why: why, State: pruneListed}
		if kept := p.keepReason(all); kept != "" {
			line.Why, line.State = kept, pruneKept
			line.Folder = cmp.Or(line.Folder, p.dir)
		} else if f.delete {
			kept, err := "", ctx.Err()
			if err == nil {
				kept, err = f.remove(ctx, o.book, p, all, days)
			}
			if err != nil && len(lines) > 0 {
				err = errors.Join(err, a.printPruned(f, lines))
			}
			if err != nil {
				return err
			}
			line.State = pruneDeleted
			if kept != "" {
				line.Why, line.State = kept, pruneKept
			}
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 && !a.JSON && !a.Quiet {
		return a.Printf("nothing to prune\n")
	}
	return a.printPruned(f, lines)
}

// days returns the minimum age, in days, of a release that may be deleted; 0 for any age.
func (f *pruning) days() (int, error) {
	switch {
	case f.counted && f.keep < 1:
		return 0, console.Usagef("--keep must be at least 1")
	case f.age == "" && !f.withdrawn && !f.replaced && f.keep == 0:
		return 0, console.Usagef("say what is no longer needed: --withdrawn, --replaced, --keep N or --older-than DAYS")
	case f.age == "":
		return 0, nil
	}
	days, err := strconv.Atoi(strings.TrimSuffix(f.age, "d"))
	if err != nil || days < 1 || days > 1e6 {
		return 0, console.Usagef("--older-than %q: write a number of days, such as 400d", f.age)
	}
	return days, nil
}

// publications lists the publications of runs whose folder exists, unchanged or changed. It leaves out publications
// that were deleted, but not those whose deletion was interrupted.
func publications(ctx context.Context, runs []ledger.Run) (out []*publication, err error) {
	folders := sink.New()
	for i := range runs {
		r := &runs[i]
		if r.State != ledger.Published {
			continue
		}
		of := []*publication{{series: series{job: r.Charge.Job}, digest: r.Digests.Release, dir: r.Charge.Dir, at: r.Updated}}
		for _, d := range r.Rerenderings {
			of = append(of, &publication{series: series{job: d.Job}, digest: d.Release, dir: d.Dir, at: d.Recorded})
		}
		for _, p := range of {
			p.run = r
			p.series, p.interval = seriesOf(r.Payer, p.series.job, r.Charge.Params)
			p.found, p.unchanged = folders.Find(ctx, p.dir, p.digest)
			p.replaced = p.found != "" && p.found != p.dir
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			same := func(o *publication) bool { return o.found == p.found && o.dir == p.dir && o.digest == p.digest }
			if (p.found != "" || errors.Is(p.unchanged, pipeline.ErrIncomplete) || p.begun()) &&
				!slices.ContainsFunc(out, same) {
				out = append(out, p)
			}
		}
	}
	slices.SortStableFunc(out, func(x, y *publication) int {
		return cmp.Or(byName(x.series.account, y.series.account), cmp.Compare(x.series.job, y.series.job),
			-cmp.Compare(x.interval, y.interval), y.at.Compare(x.at))
	})
	return out, nil
}

// isDate reports whether the value of a parameter is a date. The ledger does not have the types of parameters, so the
// text decides. Four digits are not a date: they may be the number of a shop, and each shop has a series of its own.
func isDate(text string) bool {
	for _, layout := range []string{time.DateOnly, "2006-01"} {
		if _, err := time.Parse(layout, text); err == nil {
			return true
		}
	}
	return false
}

// seriesOf returns the series of a run, and the dates among its parameters.
func seriesOf(account ledger.Account, job string, params map[string]string) (of series, interval string) {
	var dates, others []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		value := params[name]
		if !isDate(value) {
			others = append(others, name+"="+value)
			continue
		}
		dates = append(dates, value)
		job = strings.ReplaceAll(job, value, "${"+name+"}")
	}
	return series{account, strings.Join(append([]string{job}, others...), " ")}, strings.Join(dates, ",")
}

// current reports whether readers should use a publication: it exists, and is not replaced, withdrawn or being deleted.
func (p *publication) current() bool {
	return p.found != "" && !p.replaced && p.run.Withdrawn == nil && !p.begun()
}

// reason returns why a publication is no longer needed; "" if it is still needed.
func (f *pruning) reason(p *publication, all []*publication, days int) string {
	old := days > 0 && time.Since(p.at) > time.Duration(days)*24*time.Hour
	switch {
	case p.begun():
		return "its deletion was cut short"
	case days > 0 && !old:
		return ""
	case p.run.Withdrawn != nil && f.withdrawn:
		return "withdrawn"
	case p.replaced && f.replaced:
		return "replaced"
	case f.keep > 0 && p.current() && p.behind(all) >= f.keep:
		return "beyond --keep " + strconv.Itoa(f.keep)
	case old && !f.withdrawn && !f.replaced && f.keep == 0:
		return "older than " + strconv.Itoa(days) + " days"
	}
	return ""
}

// behind returns the number of newer data intervals of the same series that have a current publication.
func (p *publication) behind(all []*publication) int {
	newer := map[string]bool{}
	for _, o := range all {
		switch {
		case o.series != p.series || !o.current():
		case o.interval > p.interval:
			newer[o.interval] = true
		case o.interval == p.interval && o.dir != p.dir && o.at.After(p.at) && p.interval == "":
			newer[o.dir] = true // in a series without dates, each folder counts as an interval
		}
	}
	return len(newer)
}

// keepReason returns why a publication must be kept although it is no longer needed; "" if it can be deleted.
func (p *publication) keepReason(all []*publication) string {
	if p.begun() {
		return ""
	}
	if p.found == "" {
		return "the folder was changed since it was published, or holds other files"
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(p.found))
	info, err2 := os.Lstat(p.found)
	if err != nil || err2 != nil || parent != filepath.Dir(p.found) || !info.IsDir() {
		return "a symbolic link leads to the folder"
	}
	if !p.current() {
		return ""
	}
	// The newest data interval and the newest publication of a job are always kept.
	newestInterval, newestTime := true, true
	for _, o := range all {
		if o.series == p.series && o.current() && o != p {
			newestInterval = newestInterval && o.interval <= p.interval
			newestTime = newestTime && !o.at.After(p.at)
		}
	}
	if newestInterval || newestTime {
		return "it is the newest release of its job"
	}
	return ""
}

// aside returns the hidden name to which the folder is renamed before it is deleted. So readers see the whole release
// or none.
func (p *publication) aside() string {
	return filepath.Join(filepath.Dir(p.dir), "."+filepath.Base(p.dir)+".pruned-"+p.digest[:8])
}

// begun reports whether the deletion of the folder was begun but not finished: the folder has its hidden name.
func (p *publication) begun() bool {
	if _, recorded := p.run.Pruned[p.digest]; !recorded {
		return false
	}
	info, err := os.Lstat(p.aside())
	return err == nil && info.IsDir()
}

// remove records the deletion of a publication and deletes its folder. Before that, it reads the ledger and the folder
// again, since they may have changed; if the folder must be kept now, it returns the reason. It holds the same locks as
// a run: the lock of the run and the lock of the folder.
func (f *pruning) remove(ctx context.Context, book *ledger.Book, p *publication, all []*publication,
	days int) (kept string,
	err error,
) {
	c := &p.run.Charge
	unlock, err := book.Lock(ctx, c.Run)
	if err != nil {
		return "", pipeline.LedgerError("prune", err)
	}
	defer unlock()
	unlockFolder, err := book.LockFolder(ctx, p.dir)
	if err != nil {
		return "", pipeline.LedgerError("prune", err)
	}
	defer unlockFolder()
	if err := reload(ctx, book, all); err != nil {
		return "", err
	}
	found, err := sink.New().Find(ctx, p.dir, p.digest)
	switch {
	case ctx.Err() != nil:
		return "", err
	case found != p.found:
		return "the folder was changed while prune was at work", nil
	case f.reason(p, all, days) == "":
		return "it is needed since the ledger was changed while prune was at work", nil
	}
	if kept := p.keepReason(all); kept != "" {
		return kept, nil
	}
	return "", p.delete(ctx, book)
}

// reload reads the runs of publications from the ledger again, to see changes by other processes.
func reload(ctx context.Context, book *ledger.Book, all []*publication) error {
	runs, err := book.Runs(ctx)
	if err != nil {
		return pipeline.LedgerError("prune", err)
	}
	type release struct {
		run    string
		number int
	}
	of := map[release]*ledger.Run{}
	for i := range runs {
		of[release{runs[i].Charge.Run, runs[i].Charge.Number}] = &runs[i]
	}
	for _, p := range all {
		p.run = of[release{p.run.Charge.Run, p.run.Charge.Number}] // it is there: the ledger forgets no run
	}
	return nil
}

// delete records the deletion of a publication in the ledger, and then deletes its folder.
func (p *publication) delete(ctx context.Context, book *ledger.Book) error {
	c := &p.run.Charge
	if err := book.Prune(ctx, c.Run, c.Number, p.digest); err != nil {
		return pipeline.LedgerError("prune", err)
	}
	if err := p.deleteFolder(); err != nil {
		return &pipeline.Error{Cause: pipeline.CauseOutput, Code: "prune", Message: console.Here(cmp.Or(p.found, p.dir)) +
			" cannot be deleted", Hint: "let this user write to the folder above it; the same command goes on from here",
			Err: plain(err)}
	}
	return nil
}

// deleteFolder renames the folder and deletes it. An os.Root keeps both within the parent folder, and deletes links,
// not their targets.
func (p *publication) deleteFolder() error {
	root, err := regular.OpenRoot(filepath.Dir(p.dir))
	if err != nil {
		return err
	}
	defer root.Close() // nothing is lost: only entries of the folder were changed
	aside := filepath.Base(p.aside())
	if p.found != "" {
		if err := root.Rename(filepath.Base(p.found), aside); err != nil {
			return err
		}
	}
	return root.RemoveAll(aside)
}

// plain returns an error without the path, which the message already has.
func plain(err error) error {
	var of *os.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}

// printPruned prints the list, and the command to run next.
func (a *accounts) printPruned(f *pruning, lines []pruned) error {
	count := map[string]int{}
	for _, l := range lines {
		count[l.State]++
	}
	if a.JSON {
		return a.PrintJSON(map[string]any{"folders": lines, "deleted": count[pruneDeleted], "kept": count[pruneKept],
			"listed": count[pruneListed]})
	}
	if a.Quiet {
		return nil
	}
	rows := [][]string{{"folder", "dataset", "job", "data interval", "released", "state", "why"}}
	for _, l := range lines {
		rows = append(rows, []string{console.Here(l.Folder), l.Dataset, l.Job, console.OrDash(l.Interval), l.Released,
			l.State, l.Why})
	}
	text := fmt.Sprintf("\n%s deleted, %d kept\n", spelling.Count(count[pruneDeleted], "folder"), count[pruneKept])
	if !f.delete {
		text = fmt.Sprintf("\nnothing was deleted: --delete deletes %s\n", spelling.Count(count[pruneListed], "folder"))
	}
	return a.Print(console.Aligned(rows) + text)
}
