package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/pipeline"
)

const statusLong = `status lists the data intervals of a dated job, one whose params have a date:

  published      its release is there; its folder is shown
  missing        never run
  failed         a run was cut short, or failed before anything was spent
  over budget    what is left does not pay for it, after those before it
  never arrived  there is no input for it, and no run has seen one
  gone           it was published and its folder no longer exists, or a run saw its input, which no longer exists
  withdrawn      it was published and is wrong
  pruned         it was published, and release prune deleted its folder

status also names each charge of the dataset that has been reserved for more than an hour: its run is at work, or was
cut short.

It reads the job, its ledger and the names of its input files, and no data. It ends with 1 if an interval that is over
is neither published, withdrawn nor pruned.`

func (a *app) statusCmd() *cobra.Command {
	f := &windowFlags{}
	cmd := &cobra.Command{
		Use: "status JOB", Short: "List the data intervals of a dated job: published, missing, failed, …",
		Long: statusLong, Args: cobra.ExactArgs(1),
		Example: "  release status job.yaml --from 2026-11-01 --to 2026-11-20",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.status(cmd.Context(), args[0], f) },
	}
	f.add(a, cmd)
	a.addMetrics(cmd)
	return cmd
}

func (a *app) status(ctx context.Context, path string, f *windowFlags) error {
	windows, err := a.windows(ctx, path, f)
	if err != nil || len(windows) == 0 {
		return err
	}
	book, err := runjob.OpenStore(ctx, windows[0].plan.Job().StoreName(), false)
	switch {
	case errors.Is(err, ledger.ErrAbsent): // no run was made yet, so there is no ledger
	case err != nil:
		return err
	default:
		defer book.Close() // nothing is lost: the ledger was only read
	}
	if err := judge(ctx, book, f, windows); err != nil {
		return err
	}
	if book != nil {
		if _, err := a.readAccount(ctx, book, windows[0].plan); err != nil {
			return err
		}
		defer a.noteWaiting()
	}
	if a.JSON {
		return errors.Join(a.PrintJSON(map[string]any{"name": windows[0].plan.Name(), "windows": windows,
			"counts": counts(windows), "reserved": reservedJSON(a.last.waiting, time.Now())}), incomplete(windows))
	}
	rows := [][]string{{"data interval", "state", "folder", "note"}}
	for _, w := range windows {
		rows = append(rows, []string{w.Window, w.State, w.shortFolder(), console.OrDash(w.Note)})
	}
	return errors.Join(a.Print(console.Aligned(rows)+console.Fill("\n%s\n", summary(windows))), incomplete(windows))
}

// reservedJSON returns the reserved charges as they are printed in JSON. A charge is ahead if the clock has not reached
// its time.
func reservedJSON(waiting []ledger.Run, now time.Time) []map[string]any {
	out := []map[string]any{}
	for i := range waiting {
		r := &waiting[i]
		out = append(out, map[string]any{"job": r.Charge.Job, "params": r.Charge.Params, "since": r.Updated.UTC(),
			"ahead": r.Updated.After(now)})
	}
	return out
}

// windowStates are the states of data intervals, in the order in which status counts them.
var windowStates = []string{statePublished, stateMissing, stateFailed, stateOver, stateNever, stateGone,
	stateWithdrawn, statePruned}

// incomplete returns an error if some data intervals have ended but are not published.
func incomplete(windows []*windowed) error {
	rest := due(windows)
	if len(rest) == 0 {
		return nil
	}
	return &pipeline.Error{Cause: pipeline.CauseCheck, Code: "unpublished", Message: dueText(rest),
		Hint: "release backfill makes those whose input is there and that the budget pays for"}
}

// dueText returns the names of the first data intervals that are due.
func dueText(rest []*windowed) string {
	be := " are"
	if len(rest) == 1 {
		be = " is"
	}
	return spelling.Count(len(rest), "data interval") + be + " over and not published; the first is " + rest[0].Window
}

// settled reports whether a data interval needs no run any more: its release is published, or was withdrawn or pruned.
func (w *windowed) settled() bool {
	return w.State == statePublished || w.State == stateWithdrawn || w.State == statePruned
}

// due returns the data intervals that are over but have no release, or whose release is lost.
func due(windows []*windowed) (out []*windowed) {
	for _, w := range windows {
		if w.over && !w.settled() {
			out = append(out, w)
		}
	}
	return out
}

func counts(windows []*windowed) map[string]int {
	n := map[string]int{}
	for _, state := range windowStates {
		n[state] = 0
	}
	for _, w := range windows {
		n[w.State]++
	}
	return n
}

func summary(windows []*windowed) string {
	n, ahead, parts := counts(windows), 0, []string{}
	for _, w := range windows {
		if w.State == stateMissing && !w.over {
			ahead++
		}
	}
	for _, state := range windowStates {
		if n[state] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[state], state))
		}
		if state == stateMissing && ahead > 0 {
			parts[len(parts)-1] += fmt.Sprintf(" (%d not over yet)", ahead)
		}
	}
	return fmt.Sprintf("%s: %s", spelling.Count(len(windows), "data interval"), strings.Join(slices.Clip(parts), ", "))
}
