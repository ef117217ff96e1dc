package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

const statusLong = `status lists the windows of a dated job, one whose params have a date:

  released          published; its folder is shown
  missing           never run
  failed            a run was cut short, or failed before anything was spent
  over budget       what is left does not pay for it, after those before it
  beyond retention  never released, and its input is gone

It reads the job, its ledger and the names of its input files, and no data.`

func (a *app) statusCmd() *cobra.Command {
	f := &windowFlags{}
	cmd := &cobra.Command{
		Use: "status JOB", Short: "List the windows of a dated job: released, missing, failed, …", Long: statusLong, Args: cobra.ExactArgs(1),
		Example: "  release status job.yaml --from 2026-11-01 --to 2026-11-20",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.status(cmd.Context(), args[0], f) },
	}
	f.add(a, cmd)
	return cmd
}

func (a *app) status(ctx context.Context, path string, f *windowFlags) error {
	windows, err := a.windows(ctx, path, f)
	if err != nil || len(windows) == 0 {
		return err
	}
	book, closeBook, err := openBook(ctx, windows[0].plan.Job())
	if err != nil {
		return err
	}
	defer func() { _ = closeBook() }() // it was only read
	if err := judge(ctx, book, f, windows); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"name": windows[0].plan.Name(), "windows": windows, "counts": counts(windows)})
	}
	rows := [][]string{{"window", "state", "folder", "note"}}
	for _, w := range windows {
		rows = append(rows, []string{w.Window, w.State, w.shortFolder(), orDash(w.Note)})
	}
	if err := a.printTable(rows); err != nil {
		return err
	}
	return a.printf("\n%s\n", summary(windows))
}

func counts(windows []*windowed) map[string]int {
	n := map[string]int{stateReleased: 0, stateMissing: 0, stateFailed: 0, stateOver: 0, stateBeyond: 0}
	for _, w := range windows {
		n[w.State]++
	}
	return n
}

func summary(windows []*windowed) string {
	n, parts := counts(windows), []string{}
	for _, state := range []string{stateReleased, stateMissing, stateFailed, stateOver, stateBeyond} {
		if n[state] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[state], state))
		}
	}
	return fmt.Sprintf("%s: %s", count(len(windows), "window"), strings.Join(slices.Clip(parts), ", "))
}
