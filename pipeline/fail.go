package pipeline

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/regular"
)

// passed reports whether an error can be returned without a new cause: it is nil, has a cause already, or means that
// the context ended.
func passed(err error) bool {
	var known *Error
	return err == nil || errors.As(err, &known) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded)
}

// InputError wraps an error that occurred while reading the input in an [Error] with the cause CauseInput.
func InputError(err error) error {
	if passed(err) {
		return err
	}
	return &Error{Cause: CauseInput, Code: "input", Message: "the input can't be read", Err: err}
}

// OutputError wraps an error of a release folder in an [Error] with the cause CauseOutput.
func OutputError(err error) error {
	if passed(err) {
		return err
	}
	e := &Error{Cause: CauseOutput, Code: "output", Message: "the release folder", Err: err}
	switch {
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP):
		e.Hint = "name a folder, or a path at which there is nothing yet"
	case errors.Is(err, ErrNoRelease), errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrIncomplete):
		e.Hint = "check the path: a release is a folder with release.json in it; output.dir of the job names it"
	case errors.As(err, new(syscall.Errno)), errors.Is(err, fs.ErrPermission):
		e.Hint = regular.Remedy(err) + "; a run that was charged continues at no cost"
	}
	return e
}

// InsideError wraps an error that only a bug can cause in an [Error] with the cause CauseInside.
func InsideError(step string, err error) error {
	if passed(err) {
		return err
	}
	return &Error{Cause: CauseInside, Code: "internal", Message: step, Err: err}
}

// LedgerError wraps an error of the ledger in an [Error] with its cause: the budget, a locked ledger, or the ledger
// itself.
func LedgerError(step string, err error) error {
	if passed(err) {
		return err
	}
	e := &Error{Cause: CauseLedger, Code: "ledger", Message: step, Err: err}
	var changed *ledger.ChangedBudgetError
	var over *ledger.OverBudgetError
	switch {
	case errors.Is(err, ledger.ErrBusy):
		e.Cause, e.Code, e.Hint = CauseBusy, "busy", "another run of this job or another user of the ledger is at work; "+
			"try again later. If a process is named that hangs, end it: the next run takes up what it left"
	case errors.Is(err, ledger.ErrReadOnly):
		e.Code, e.Hint = "ledger-read-only", "let this user write to the ledger and to its folder, and mount its file "+
			"system for writing; ledger show and ledger audit only read; a run that was charged continues at no cost"
	case errors.Is(err, ledger.ErrFull):
		e.Code, e.Hint = "ledger-full", "make room on the file system of the ledger or, if it is copied, of its copy, and "+
			"run the same command again; a run that was charged continues at no cost"
	case errors.Is(err, ledger.ErrExposed):
		e.Code, e.Hint = "ledger-exposed", "run the command at the end of each line; then check with release ledger audit "+
			"that nobody changed the ledger"
	case errors.Is(err, ledger.ErrAbsent):
		e.Code, e.Hint = "no-ledger", "check --store, or ledger.store of the job; release run makes a new ledger"
	case errors.Is(err, ledger.ErrNotLedger):
		e.Hint = "let --store, or ledger.store of the job, name the file of a ledger; a run makes a new ledger if there is " +
			"nothing at the path"
	case errors.Is(err, ledger.ErrCorrupt):
		e.Hint = "keep the damaged ledger, restore the newest backup, and check it with " +
			"release ledger audit"
	case errors.As(err, new(*ledger.MovedError)):
		e.Code, e.Hint = "ledger-moved", "nothing was spent; let ledger.store of the job, or --store, name the place to "+
			"which the ledger was moved"
	case errors.Is(err, ledger.ErrIncoming):
		e.Code, e.Hint = "ledger-incoming", "nothing was spent; run the same release ledger copy again, which finishes it; "+
			"until then the older ledger may still be the right one"
	case errors.Is(err, ledger.ErrOlder):
		e.Code, e.Hint = "ledger-older", "nothing was changed; keep the ledger that is there: it has every entry of this "+
			"one, and knows what was spent since"
	case errors.Is(err, ledger.ErrOccupied):
		e.Code, e.Hint = "ledger-occupied", "nothing was changed; name a place at which there is nothing yet"
	case errors.Is(err, ledger.ErrSecondPath):
		e.Code, e.Hint = "ledger-second-path", "all users must reach a ledger by the same path, since its journal and its "+
			"locks are beside that path"
	case errors.As(err, &over):
		e.Cause, e.Code = CauseBudget, "over-budget"
		e.Hint = "nothing was spent; " + clockRemedy(over.Period()) + remedy(over) + ", or let the data's owner decide " +
			"whether a larger budget is right: release ledger budget set JOB --epsilon E --reason WHY"
	case errors.As(err, new(*ledger.OverShareError)):
		e.Cause, e.Code = CauseBudget, "over-budget"
		e.Hint = "nothing was spent; lower the probabilities of failure, or let the data's owner decide on a larger " +
			"delta_cap: release ledger budget set JOB --delta-cap D --reason WHY"
	case errors.As(err, &changed):
		e.Cause, e.Code, e.Hint = CauseBudget, "budget-changed", "write the ledger's budget into ledger.budget of the job ("+
			changed.Have.String()+"), or let the data's owner change the budget: release ledger budget set"
	case errors.As(err, new(*ledger.AccountError)):
		e.Cause, e.Code, e.Hint = CauseBudget, "other-account", "a dataset's budget is for one privacy unit and one "+
			"adjacency; use these, or let the data's owner open another budget beside it with release ledger budget set; no "+
			"joint guarantee exists then"
	case errors.As(err, new(*ledger.UnitError)):
		e.Cause, e.Code, e.Hint = CauseBudget, "other-unit",
			"nothing was spent; a budget protects the units of its tables as "+
				"they were first charged: state the same unit or first join, and name the table under input.tables; or protect other "+
				"units under a dataset or a privacy.unit of another name, for which the data's owner opens a budget; no joint guarantee "+
				"exists then"
	case errors.Is(err, ledger.ErrUnavailable):
		e.Hint = "remove the cause, and run the same command again: nothing is released without the ledger"
	}
	return e
}

// clockRemedy advises what to do if the clock has not reached the period whose budget is spent.
func clockRemedy(p ledger.Period) string {
	if !p.Ahead {
		return ""
	}
	return "set the clock right if it is behind, or wait until " + p.Name + " is over; or "
}

// remedy advises how to change a job so that its release fits the budget. If the job's delta is above the budget's, it
// advises a smaller delta, since a large delta costs more mu than any epsilon that would fit. Otherwise it names an
// epsilon that fits, if there is one.
func remedy(over *ledger.OverBudgetError) string {
	limit, err := calibrate.ParseDown(over.Balance.Budget.Delta)
	switch {
	case err == nil && limit > 0 && float64(over.Delta) > limit:
		return "lower delta: the budget has delta " + over.Balance.Budget.Delta
	case over.Epsilon == "":
		return "ask nothing more of this dataset"
	}
	return "lower epsilon to " + over.Epsilon
}
