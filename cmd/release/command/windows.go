package command

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/pipeline"
)

// The states of a data interval.
const (
	statePublished = "published"
	stateMissing   = "missing"
	stateFailed    = "failed"
	stateOver      = "over budget"
	stateNever     = "never arrived"
	stateGone      = "gone"
	stateWithdrawn = "withdrawn"
	statePruned    = "pruned"
)

// windowFlags are the flags that choose data intervals of a dated job.
type windowFlags struct {
	jobs.Flags
	from, to string
}

func (f *windowFlags) add(a *app, cmd *cobra.Command) {
	f.AddParams(cmd)
	cmd.Flags().StringVar(&f.from, "from", "", "the first data interval, as the job's date parameter is written")
	cmd.Flags().StringVar(&f.to, "to", "", "the last data interval (default: the last that is over)")
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print JSON")
	_ = cmd.MarkFlagRequired("from") // no error: the flag exists
}

// windowed is one data interval of a job, with its state.
type windowed struct {
	Window string `json:"window"`
	State  string `json:"state"`
	Folder string `json:"folder"`
	Note   string `json:"note"`

	plan  *pipeline.Plan
	plans []*pipeline.Plan // one plan for each form of the date: each form has its own fingerprint
	over  bool             // the interval has ended
	free  bool             // its charge is reserved already, so a run costs nothing more
}

// windows makes the plans of all data intervals between --from and --to.
func (a *app) windows(ctx context.Context, path string, f *windowFlags) ([]*windowed, error) {
	f.DataChecks = a.policy()
	job, err := f.Job(a.Console, path)
	if err != nil {
		return nil, err
	}
	params, err := f.ParamValues()
	if err != nil {
		return nil, err
	}
	name, err := datedParam(job, params)
	if err != nil {
		return nil, err
	}
	param := job.Params[name]
	zone, err := time.LoadLocation(job.Input.Timezone)
	if err != nil {
		return nil, err // cannot happen: the name was checked with the job
	}
	list, err := param.DataIntervals(f.from, f.last(&param, time.Now().In(zone)))
	if err != nil && f.to == "" { // perhaps not even the first interval is over, as on the first day of a month
		list, err = param.DataIntervals(f.from, f.from)
	}
	if err != nil {
		return nil, console.Usagef("--from and --to: %v", err)
	}
	var out []*windowed
	for _, w := range list {
		start := w.End.AddDate(0, 0, -1)
		if (param.Every == "" || param.Every == "day") && runjob.InZone(start, zone).Equal(runjob.InZone(w.End, zone)) {
			continue // clocks in the zone skipped this day, such as 2011-12-30 in Pacific/Apia
		}
		planned := &windowed{Window: w.Value}
		for _, form := range append([]string{w.Value}, w.Forms...) {
			params[name] = form
			plan, err := f.LoadWith(ctx, a.Console, path, params)
			if err != nil {
				return nil, err
			}
			planned.plans = append(planned.plans, plan)
			if len(w.Forms) == 1 {
				break
			}
		}
		if err := planned.choose(f, planned.plans[0]); err != nil {
			return nil, err
		}
		planned.over = !time.Now().Before(runjob.InZone(w.End, planned.plan.Location()))
		out = append(out, planned)
	}
	return out, nil
}

// choose makes plan the plan of the data interval, and sets its release folder.
func (w *windowed) choose(f *windowFlags, plan *pipeline.Plan) (err error) {
	w.plan = plan
	w.Folder, err = f.Dir(plan)
	return err
}

// last returns the value of --to or, if it is not given, the data interval before the one of now, a time in the job's
// zone.
func (f *windowFlags) last(p *configs.Param, now time.Time) string {
	if f.to != "" {
		return f.to
	}
	now = time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC) // no clock of this date is skipped
	switch p.Every {
	case "month":
		return now.AddDate(0, 0, -now.Day()).Format("2006-01")
	case "year":
		return now.AddDate(-1, 0, 0).Format("2006")
	}
	return now.AddDate(0, 0, -1).Format("2006-01-02")
}

// datedParam returns the name of the job's date parameter that has no value yet. It fails if there is not exactly one.
func datedParam(job *configs.Job, given map[string]string) (string, error) {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(job.Params)) {
		if _, fixed := given[name]; !fixed && job.Params[name].Type == "date" {
			names = append(names, name)
		}
	}
	if len(names) != 1 {
		return "", console.Usagef("data intervals need a job with one parameter that is a date, such as params: {day: "+
			"{type: date, every: day}}; this job has %d", len(names))
	}
	return names[0], nil
}

// judge sets the state of each data interval, such as published or missing. book is nil if no ledger exists yet.
func judge(ctx context.Context, book *ledger.Book, f *windowFlags, windows []*windowed) error {
	for _, w := range windows {
		if book == nil {
			w.recorded(ctx, ledger.Run{}, false)
			continue
		}
		r, known, err := w.lookup(ctx, book, f)
		if err != nil {
			return err
		}
		w.recorded(ctx, r, known)
	}
	if book == nil {
		return nil
	}
	return forecast(ctx, book, windows)
}

// lookup finds the run of the data interval in the ledger, under any form of its date.
func (w *windowed) lookup(ctx context.Context, book *ledger.Book, f *windowFlags) (r ledger.Run, known bool,
	err error) {
	for _, plan := range w.plans {
		r, known, err = protocol.Find(ctx, plan, book, sink.New())
		if err != nil {
			return r, false, pipeline.LedgerError("look a data interval up", err)
		}
		if known && r.State != ledger.Cancelled {
			return r, true, w.choose(f, plan)
		}
	}
	return r, known, nil
}

// recorded sets the state of a data interval from its entries in the ledger.
func (w *windowed) recorded(ctx context.Context, r ledger.Run, known bool) {
	switch gone := w.inputGone(ctx, known && (r.State == ledger.Published || r.State == ledger.Sealed)); {
	case known && r.Withdrawn != nil:
		w.State, w.Folder, w.Note = stateWithdrawn, r.Charge.Dir, r.Withdrawn.Reason
	case known && r.State == ledger.Published:
		w.State, w.Folder = statePublished, r.Charge.Dir
		if w.Note = released(r); w.Note != "" {
			w.State = stateGone
			if at, pruned := r.Pruned[r.Digests.Release]; pruned {
				w.State, w.Note = statePruned, "release prune deleted its folder on "+at.UTC().Format(time.DateOnly)
			}
		}
	case known && r.State == ledger.Sealed:
		w.State, w.free, w.Note = stateFailed, true, "sealed, not yet published: a run publishes it"
	case known && r.State == ledger.Reserved && gone:
		w.State, w.Note = stateGone, "cut short, and its input is gone; what it was charged stays"
	case known && r.State == ledger.Reserved:
		w.State, w.free, w.Note = stateFailed, true, "cut short: a run resumes it under the same charge"
	case gone && w.over && known:
		w.State, w.Note = stateGone, "its input is gone; a run that saw it failed before anything was spent"
	case gone && w.over:
		w.State, w.Note = stateNever, "there is no input for it, and no run has seen one"
	case known:
		w.State, w.Note = stateFailed, "a run failed before anything was spent"
	default:
		w.State = stateMissing
		if !w.over {
			w.Note = "not over yet"
		}
	}
}

// inputGone reports whether files or folders of the interval's input do not exist. It returns false without looking if
// the interval needs no input any more.
func (w *windowed) inputGone(ctx context.Context, answered bool) bool {
	job := w.plan.Job()
	if answered || job.Input.SQL != nil {
		return false
	}
	return slices.ContainsFunc(wiring.Sources(job), func(o source.Options) bool {
		var faults fault.Errors
		return errors.As(source.Exists(ctx, o), &faults) &&
			!slices.ContainsFunc(faults, func(e *fault.Error) bool { return e.Code != fault.CodeNotFound })
	})
}

// released returns what is wrong with the folder of a published release; "" if nothing is.
func released(r ledger.Run) string {
	_, digest, err := sink.ReadManifest(r.Charge.Dir)
	switch {
	case err != nil:
		return "its folder is not there any more"
	case digest != r.Digests.Release:
		return "its folder holds something else"
	}
	return ""
}

// forecast marks the data intervals that the budget will not pay for, if all others are run in order.
func forecast(ctx context.Context, book *ledger.Book, windows []*windowed) error {
	var charges []ledger.Charge
	var charged []*windowed
	for _, w := range windows {
		if (w.State == stateMissing || w.State == stateFailed) && !w.free {
			charges, charged = append(charges, w.plan.Charge(w.Folder, 1)), append(charged, w)
		}
	}
	refusals, err := book.Forecast(ctx, charges)
	if err != nil {
		return pipeline.LedgerError("forecast", err)
	}
	for i, refusal := range refusals {
		if refusal != nil {
			charged[i].State, charged[i].Note = stateOver, refusal.Error()
		}
	}
	return nil
}

// shortFolder returns the release folder's path relative to the working directory.
func (w *windowed) shortFolder() string { return console.Here(filepath.Clean(w.Folder)) }
