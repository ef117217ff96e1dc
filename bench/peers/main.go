// Command peers runs the same tasks with dprelease and other tools for differential privacy, from the same files and
// with the same guarantee. It compares errors, intervals, time and memory. It makes each tool's environment, in a
// folder that is kept for the next run.
//
// Results are JSON lines, one for each tool and task. From them it makes the tables and the picture of its README.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// config is the parsed command line.
type config struct {
	dir          string // the folder of tables, environments and answers
	tools, tasks string
	runs, rows   int
	limit        time.Duration // the time that one tool may take for one task
	from, page   string
	google       string // a folder with Google's library, for machines that cannot download its Go module
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	var c config
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	f := flag.NewFlagSet("peers", flag.ContinueOnError)
	f.StringVar(&c.dir, "dir", filepath.Join(cache, "dprelease-peers"),
		"where tables and environments are kept, an absolute path")
	f.StringVar(&c.tools, "tools", strings.Join(toolNames(), ","), "which tools")
	f.StringVar(&c.tasks, "tasks", strings.Join(taskNames(), ","), "which tasks")
	short := f.Bool("short", false, "the short form: 10^6 rows in the large table, 3 seconds a tool and task; ten minutes")
	f.IntVar(&c.runs, "runs", 100, "answers of each tool, so many as fit in the limit")
	f.IntVar(&c.rows, "rows", 10_000_000, "rows of the large table")
	f.DurationVar(&c.limit, "limit", time.Minute, "when a tool stops with a task; it always gives one answer")
	f.StringVar(&c.from, "from", "", "run nothing: take the lines of an earlier run from this file")
	f.StringVar(&c.page, "page", "", "write the tables between the marks of this page, and its picture beside it")
	f.StringVar(&c.google, "google", "", "a checkout of Google's library, if its Go module cannot be downloaded")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *short {
		c.rows, c.limit = 1_000_000, 3*time.Second
	}
	if c.from != "" {
		results, err := readResults(c.from)
		if err != nil {
			return err
		}
		return present(&c, results)
	}
	results, err := compare(ctx, &c, os.Stdout)
	if err != nil {
		return err
	}
	return present(&c, results)
}

func present(c *config, results []*result) error {
	if c.page == "" {
		return nil
	}
	return writePage(c.page, results)
}

// compare runs each task with each tool, and writes a line after each.
func compare(ctx context.Context, c *config, out io.Writer) ([]*result, error) {
	tables := filepath.Join(c.dir, "tables")
	if err := os.MkdirAll(tables, 0o755); err != nil {
		return nil, err
	}
	encoder := json.NewEncoder(out)
	var results []*result
	chosen := strings.Split(c.tasks, ",")
	for i := range tasks {
		t := &tasks[i]
		if !slices.Contains(chosen, t.name) {
			continue
		}
		exact, err := makeTable(tables, t, c.rows)
		if err != nil {
			fmt.Fprintf(os.Stderr, "peers: task %s is left out: %v\n", t.name, err)
			continue
		}
		for _, name := range strings.Split(c.tools, ",") {
			tool, err := toolNamed(name)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(os.Stderr, "peers: %s, %s\n", t.name, name)
			lines, err := tool.answer(ctx, c, t, exact)
			if err == nil {
				err = ctx.Err() // an interrupted tool has no result
			}
			if err != nil {
				return nil, err
			}
			for _, r := range lines {
				if err := encoder.Encode(r); err != nil {
					return nil, err
				}
			}
			results = append(results, lines...)
		}
	}
	return results, nil
}

func taskNames() (names []string) {
	for _, t := range tasks {
		names = append(names, t.name)
	}
	return names
}

// order compares two results by their place on the page: by task, by result name, by error; tools without an answer
// come last.
func order(a, b *result) int {
	place := func(r *result) int { return slices.Index(taskNames(), r.Task) }
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.Asked, b.Asked),
		cmp.Compare(len(a.Reason), len(b.Reason)), cmp.Compare(a.RMSE, b.RMSE), cmp.Compare(a.FirstSeconds, b.FirstSeconds))
}
