package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
)

// standing describes a run before it is made: whether it would release, repeat or resume, which part of the budget it
// would charge, and the state of the ledger.
type standing struct {
	protocol.Standing
	ledger string // "none" or "unknown" if there is no ledger or it could not be read; "" otherwise
	lost   error  // the error with which a run would fail if the ledger was lost
}

// findStanding reads the job's ledger but never creates it. If the ledger cannot be read, it uses only the budget in
// the job.
func findStanding(ctx context.Context, c *console.Console, p *pipeline.Plan, f *jobs.Flags) (s standing, err error) {
	dir, err := f.Dir(p)
	if err != nil {
		return s, err
	}
	book, err := runjob.OpenStore(ctx, p.Job().StoreName(), false)
	switch {
	case err == nil:
		defer book.Close() // nothing is lost: the ledger was only read
		s.Standing, err = protocol.StandingOf(ctx, p, book, sink.New(), dir)
		if err == nil || ctx.Err() != nil || errors.As(err, new(*ledger.MovedError)) {
			return s, err
		}
	case ctx.Err() != nil:
		return s, err
	}
	s.ledger = "none"
	if !errors.Is(err, ledger.ErrAbsent) {
		s.ledger = "unknown"
		c.Warn("the ledger can't be read, so the budget shown counts this job alone: " +
			strings.TrimPrefix(console.ErrorText(err), "error: "))
	}
	if s.ledger == "none" {
		s.lost = f.LostLedger(p, dir)
	}
	s.Standing, err = protocol.StandingOf(ctx, p, nil, sink.New(), dir)
	return s, err
}

// text states what a run would do and cost.
func (s standing) text(p *pipeline.Plan) string {
	lines := linesOf(p, s.Standing)
	var lost *pipeline.Error
	if errors.As(s.lost, &lost) {
		lines = []string{"a run is refused: " + console.OneLine(lost.Code+": "+lost.Message)}
	} else if s.ledger == "none" {
		lines = append([]string{"there is no ledger yet: the first run opens it, with a budget of " + p.Budget().String()},
			lines...)
	}
	data := ""
	if s.Next == protocol.NextCharge {
		if data = dataPolicy(p, p.Refuses()); data != "" {
			data = "\ndata: " + data + "\n"
		}
		if early := runjob.RefuseEarly(p, time.Now()); early != nil {
			lines = append(lines, "a run is refused: "+console.OneLine(early.Error())+"; --incomplete releases what is there")
		}
	}
	return data + "\nbudget: " + strings.Join(lines, "\n  ") + "\n"
}

// linesOf describes what a run would do and cost.
func linesOf(p *pipeline.Plan, s protocol.Standing) []string {
	switch s.Next {
	case protocol.NextWithdrawn:
		return []string{console.ErrorText(s.Problem)}
	case protocol.NextRepeat:
		line := fmt.Sprintf("already released to %s on %s: a run returns the same bytes and charges nothing",
			console.Here(s.Dir), s.Prior.Updated.UTC().Format(time.DateOnly))
		var failed *pipeline.Error
		if errors.As(s.Problem, &failed) && failed.Code == "pruned" {
			line += "; but " + failed.Message + ": pay for a new release with --new-release"
		} else if s.Problem != nil {
			line += "; but its folder is missing or was changed: restore it from a copy, or pay for a new release with " +
				"--new-release"
		}
		return []string{line}
	case protocol.NextRerender:
		line := fmt.Sprintf("already released in another rendering, to %s on %s: a run makes this one of its noisy "+
			"values and charges nothing", console.Here(s.Dir), s.Prior.Updated.UTC().Format(time.DateOnly))
		if s.Problem != nil {
			line = fmt.Sprintf("already released in another rendering, to %s on %s, of which this one cannot be made: %s",
				console.Here(s.Dir), s.Prior.Updated.UTC().Format(time.DateOnly), console.ErrorText(s.Problem))
		}
		return []string{line}
	case protocol.NextFinish:
		return []string{"charged already, by a run that was cut short after its noise was drawn: a run publishes what it " +
			"left and charges nothing more"}
	case protocol.NextResume:
		return []string{"charged already, by a run that was cut short: a run continues under that charge and charges " +
			"nothing more"}
	}
	return quoteLines(p, s.Quote)
}

// announceCharge prints the coming charge of a run on stderr. It prints nothing if the charge is refused, since an
// error follows.
func announceCharge(c *console.Console, p *pipeline.Plan, s protocol.Standing, refuses bool) {
	if s.Quote.Refusal != nil {
		return
	}
	c.Note(strings.Join(linesOf(p, s), "; "))
	if text := dataPolicy(p, refuses); s.Next == protocol.NextCharge && text != "" && !refuses {
		c.Note(text)
	}
}

// dataPolicy returns a sentence on how a run treats a column with many texts that cannot be parsed. It is "" if the
// plan reads no text files. The sentence depends only on the job.
func dataPolicy(p *pipeline.Plan, refuses bool) string {
	if refuses {
		return "a run is refused at no cost if a column is unusable, which readers of a release can tell (data_checks: " +
			"refuse)"
	}
	types := map[string]string{}
	for prefix, in := range p.Job().Inputs() {
		of := in.CSV.Types
		if in.JSONL != nil {
			of = in.JSONL.Columns
		}
		for column, t := range of {
			types[prefix+column] = t
		}
	}
	var read []string
	for _, column := range p.Columns() {
		if t := types[column]; t != "" && t != "text" {
			read = append(read, console.OneLine(column)+" ("+console.OneLine(t)+")")
		}
	}
	if len(read) == 0 {
		return ""
	}
	return "nothing checks that texts can be read as " + strings.Join(read, ", ") +
		": release check --data JOB looks and spends nothing; data_checks: refuse in the job lets runs check it"
}

// quoteLines returns for each cap of the budget a line on the part that a charge takes.
func quoteLines(p *pipeline.Plan, q ledger.Quote) (lines []string) {
	for i, r := range q.Rooms {
		if i == 0 {
			lines = append(lines, console.Fill("a run will charge %s of the budget of dataset %s, %s",
				spelling.Percent(r.Share, true),
				q.Account.Dataset, moreText(r)))
			continue
		}
		lines = append(lines, console.Fill("%s of that for %s, %s", spelling.Percent(r.Share, true),
			strings.TrimSpace(r.Per+" "+r.Name),
			moreText(r)))
	}
	switch {
	case q.Never && q.Opens:
		lines = append(lines, console.Fill("a run is refused: the job's own budget (%s) can never hold this release",
			p.Budget()))
	case errors.As(q.Refusal, new(*ledger.OverBudgetError)), errors.As(q.Refusal, new(*ledger.OverShareError)):
		// The line above shows the cap. The error that follows shows the amounts.
		lines = append(lines, "a run is refused")
	case q.Refusal != nil:
		lines = append(lines, "a run is refused")
	}
	return lines
}

// moreText describes how many more releases of the same cost the budget allows after a charge.
func moreText(r ledger.Room) string {
	switch {
	case r.Fits < 0:
		return "more than is left"
	case r.Fits < 1:
		return "no further release like this fits"
	case r.Fits < 2:
		return "room for one more release like this"
	case r.Fits > 1e6:
		return "room for more than a million more releases like this"
	}
	return console.Fill("room for %.0f more releases like this", math.Floor(r.Fits))
}

// chargeRefusal returns an error if the plan's charge would be refused.
func chargeRefusal(p *pipeline.Plan, q ledger.Quote) error {
	switch {
	case q.Refusal == nil:
		return nil
	case q.Never && q.Opens:
		return &pipeline.Error{
			Cause: pipeline.CauseBudget, Code: "never-fits", Err: p.ErrorAt("ledger.budget", "never-fits",
				"one release costs more than the whole budget", ""),
			Message: "the job's own budget can never hold this release",
			Hint:    "lower privacy.epsilon or privacy.delta, or decide on a larger ledger.budget",
		}
	}
	return pipeline.LedgerError("charge", q.Refusal)
}

// JSON returns the standing as `plan --json` prints it.
func (s standing) JSON() map[string]any {
	out := map[string]any{"next": s.Next}
	if s.ledger != "" {
		out["ledger"] = s.ledger
	}
	if s.Next != protocol.NextCharge {
		out["folder"] = cmp.Or(s.Dir, s.Prior.Charge.Dir)
		out["problem"] = ""
		if s.Problem != nil {
			out["problem"] = s.Problem.Error()
		}
		return out
	}
	rooms := []map[string]any{}
	for _, r := range s.Quote.Rooms {
		share, more := any(r.Share), any(r.Fits)
		if math.IsInf(r.Share, 0) {
			share = nil
		}
		if math.IsInf(r.Fits, 0) {
			more = nil
		}
		rooms = append(rooms, map[string]any{"per": r.Per, "name": r.Name, "share": share, "more_fit": more})
	}
	out["caps"], out["fits"], out["never_fits"] = rooms, s.Quote.Refusal == nil, s.Quote.Never
	return out
}
