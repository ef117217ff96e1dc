package ledger

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

func (a *accounts) ledgerShow(ctx context.Context, o *openedLedger) error {
	s, err := o.snapshot(ctx)
	if err != nil {
		return err
	}
	if o.csv {
		return a.printCSV(runRows(s.Runs))
	}
	accounts, err := accountsJSON(s.Accounts)
	if err != nil {
		return err
	}
	if a.JSON {
		mark, err := o.book.Mark(ctx)
		if err != nil {
			return pipeline.LedgerError("read the head", err)
		}
		return a.PrintJSON(map[string]any{
			"head": map[string]any{"entry": s.Head.Seq, "hash": s.Head.Hash.String()}, "ledger": manifest.Ledger{Head: mark.Head,
				MAC: mark.MAC}, "accounts": accounts, "releases": runsJSON(s.Runs),
			"notes": apart(s.Accounts), "moved": movedJSON(s.Moved),
		})
	}
	text := ""
	if s.Moved != nil {
		text = console.Fill("closed: the ledger was moved to %s on %s; what follows is how it stood then\n\n", s.Moved.To,
			s.Moved.At.UTC().Format(time.DateOnly))
	}
	text += accountsText(s.Accounts, accounts)
	if len(s.Runs) == 0 {
		return a.Print(text + "no releases\n")
	}
	return a.Print(text + console.Aligned(runRows(s.Runs)) + withdrawnText(s.Runs))
}

func (a *accounts) ledgerBudget(ctx context.Context, o *openedLedger) error {
	s, err := o.snapshot(ctx)
	if err != nil {
		return err
	}
	accounts, err := accountsJSON(s.Accounts)
	switch {
	case err != nil:
		return err
	case a.JSON:
		return a.PrintJSON(map[string]any{"accounts": accounts, "notes": apart(s.Accounts)})
	case o.csv:
		return a.printCSV(accountRows(accounts))
	}
	return a.Print(accountsText(s.Accounts, accounts))
}

// accountJSON is the state of an account as JSON. Amounts are mu squared as decimal text; spent amounts are rounded up.
type accountJSON struct {
	Dataset   string `json:"dataset"`
	Unit      string `json:"unit"`
	Adjacency string `json:"adjacency"`
	Budget    string `json:"budget"`
	Cap       string `json:"mu2_cap"`
	Spent     string `json:"mu2_spent"`
	Left      string `json:"mu2_left"`
	// Fits is the largest epsilon that another release at the budget's delta could have; "" if none fits.
	Fits     string       `json:"largest_epsilon"`
	Releases int          `json:"releases"`
	Periods  []periodJSON `json:"periods"`
	// History lists all budgets of the account, the first one first.
	History []budgetJSON `json:"budget_history"`
}

// budgetJSON is the ledger entry that opened an account or changed its budget.
type budgetJSON struct {
	At     string `json:"at"`
	Budget string `json:"budget"`
	Reason string `json:"reason"`
}

type periodJSON struct {
	Per   string `json:"per"`
	Name  string `json:"name"`
	Cap   string `json:"mu2_cap"`
	Spent string `json:"mu2_spent"`
	Left  string `json:"mu2_left"`
	Ahead bool   `json:"ahead"` // the clock has not reached the period, but an entry of the ledger is dated in it
}

func accountsJSON(balances []ledger.Balance) ([]accountJSON, error) {
	out := make([]accountJSON, 0, len(balances))
	for i := range balances {
		b := &balances[i]
		x := accountJSON{
			Dataset: b.Account.Dataset, Unit: b.Account.Unit, Adjacency: b.Account.Adjacency, Budget: b.Budget.String(),
			Cap: Amount(b.Cap, big.ToNegativeInf), Spent: Amount(b.Spent, big.ToPositiveInf), Left: Amount(b.Left,
				big.ToNegativeInf),
			Releases: b.Runs, Periods: []periodJSON{},
		}
		for _, c := range b.History {
			x.History = append(x.History, budgetJSON{c.At.UTC().Format(time.RFC3339), c.Budget.String(), c.Reason})
		}
		delta, err := calibrate.ParseDown(b.Budget.Delta)
		if err == nil {
			x.Fits, err = b.Fits(calibrate.Delta(delta))
		}
		if err != nil {
			return nil, err
		}
		for _, p := range b.Periods {
			x.Periods = append(x.Periods, periodJSON{
				p.Per, p.Name, Amount(p.Cap, big.ToNegativeInf), Amount(p.Spent, big.ToPositiveInf), Amount(p.Left,
					big.ToNegativeInf), p.Ahead,
			})
		}
		out = append(out, x)
	}
	return out, nil
}

// Amount formats mu squared, of at least 0, as a decimal of 17 digits, rounded up or down as mode tells.
func Amount(x *big.Float, mode big.RoundingMode) string {
	y, _ := new(big.Float).SetPrec(53).SetMode(mode).Set(x).Float64()
	text := strconv.FormatFloat(y, 'g', 17, 64)
	stated, ok := new(big.Rat).SetString(text)
	exact, _ := x.Rat(nil)
	if !ok || exact == nil { // an infinity
		return text
	}
	switch wrong := stated.Cmp(exact); { // 17 digits are rounded to the nearest
	case wrong < 0 && mode == big.ToPositiveInf:
		return strconv.FormatFloat(math.Nextafter(y, math.Inf(1)), 'g', 17, 64)
	case wrong > 0 && mode == big.ToNegativeInf:
		return strconv.FormatFloat(math.Nextafter(y, 0), 'g', 17, 64)
	}
	return text
}

func accountRows(accounts []accountJSON) [][]string {
	rows := [][]string{{"dataset", "unit", "adjacency", "period", "mu2_cap", "mu2_spent", "mu2_left", "largest_epsilon",
		"releases"}}
	for _, x := range accounts {
		rows = append(rows, []string{x.Dataset, x.Unit, x.Adjacency, "total", x.Cap, x.Spent, x.Left, x.Fits,
			strconv.Itoa(x.Releases)})
		for _, p := range x.Periods {
			rows = append(rows, []string{x.Dataset, x.Unit, x.Adjacency, p.Name, p.Cap, p.Spent, p.Left, "", ""})
		}
	}
	return rows
}

func accountsText(balances []ledger.Balance, accounts []accountJSON) string {
	var b strings.Builder
	for i, x := range accounts {
		balance := &balances[i]
		b.WriteString(console.Fill("%s: unit %s, %s\n  budget   %s\n", x.Dataset, x.Unit, x.Adjacency, x.Budget))
		b.WriteString(console.Fill("  spent    mu² %s of %s (%s), by %s\n", x.Spent, x.Cap,
			spelling.Percent(balance.Share(), true),
			spelling.Count(x.Releases, "release")))
		for _, p := range x.Periods {
			ahead := ""
			if p.Ahead {
				ahead = ", of which the ledger has an entry; the clock has not reached it"
			}
			b.WriteString(console.Fill("  %-8s mu² %s of %s in %s%s\n", p.Per, p.Spent, p.Cap, p.Name, ahead))
		}
		for i, c := range x.History {
			if len(x.History) > 1 {
				word := "changed"
				if i == 0 {
					word = "opened"
				}
				b.WriteString(console.Fill("  %-8s %s: %s; %s\n", word, c.At, c.Budget, cmp.Or(c.Reason, "no reason was given")))
			}
		}
		left := "nothing fits any more"
		if x.Fits != "" {
			left = fmt.Sprintf("a release of epsilon %s at delta %s fits", x.Fits, balance.Budget.Delta)
		}
		b.WriteString(console.Fill("  left     mu² %s: %s\n  promise  %s\n\n", x.Left, left, promise(balance)))
	}
	for _, note := range apart(balances) {
		b.WriteString(console.Fill("note: %s\n\n", note))
	}
	return b.String()
}

// promise returns a sentence that states the joint guarantee of all releases of an account.
func promise(b *ledger.Balance) string {
	change := "added or removed"
	if b.Account.Adjacency == "replace-one" {
		change = "replaced"
	}
	s := fmt.Sprintf("everything released from this budget, now and later, however chosen, is %s-Gaussian "+
		"differentially private for one %s being %s",
		spelling.Exact(float64(b.Largest)), b.Account.Unit, change) // not rounded: it is a bound
	if b.DeltaCap.Sign() > 0 {
		s += ", but for a probability of failure of " + b.Budget.DeltaCap
	}
	return s
}

// apart returns a note for each dataset that has several accounts: there is no joint guarantee for them.
func apart(balances []ledger.Balance) []string {
	notes, seen := []string{}, map[string]int{}
	for i := range balances {
		name := balances[i].Account.Dataset
		if seen[name]++; seen[name] == 2 {
			notes = append(notes, fmt.Sprintf("dataset %s has several budgets, for different units or neighbours: no joint "+
				"guarantee exists over them", name))
		}
	}
	return notes
}

// movedJSON returns, for JSON, the place to which a closed ledger was moved; nil if the ledger is open.
func movedJSON(m *ledger.Move) any {
	if m == nil {
		return nil
	}
	return map[string]string{"at": m.At.UTC().Format(time.RFC3339), "to": m.To}
}

// withdrawnText states which releases were withdrawn, and why.
func withdrawnText(runs []ledger.Run) (text string) {
	for i := range runs {
		r := &runs[i]
		if r.Withdrawn != nil {
			text += console.Fill("\nwithdrawn: %.12s, release %d, on %s: %s\n", r.Charge.Run, r.Charge.Number,
				r.Withdrawn.At.UTC().Format(time.DateOnly), r.Withdrawn.Reason)
		}
	}
	return text
}

// stateOf returns the state of a publication, and the reason if it was withdrawn.
func stateOf(r *ledger.Run, digest string) (state, reason string) {
	if r.Withdrawn != nil {
		return "withdrawn", r.Withdrawn.Reason
	}
	if _, pruned := r.Pruned[digest]; pruned {
		return "pruned", ""
	}
	return string(r.State), ""
}

type runJSON struct {
	Run     string  `json:"run"`
	Number  int     `json:"number"`
	Dataset string  `json:"dataset"`
	Job     string  `json:"job"`
	Window  string  `json:"window"`
	State   string  `json:"state"`
	Mu      float64 `json:"mu"`
	Updated string  `json:"updated"`
	Folder  string  `json:"folder"`
	Release string  `json:"manifest_sha256"`
	// Rerendered is set if it is a re-rendering of the release before it in the list, which cost nothing.
	Rerendered bool `json:"rerendered"`
	// Withdrawn is the reason for the withdrawal; "" if it was not withdrawn.
	Withdrawn string `json:"withdrawn,omitempty"`
}

func runsJSON(runs []ledger.Run) []runJSON {
	out := make([]runJSON, 0, len(runs))
	for i := range runs {
		r := &runs[i]
		state, reason := stateOf(r, r.Digests.Release)
		out = append(out, runJSON{
			r.Charge.Run, r.Charge.Number, r.Payer.Dataset, r.Charge.Job, Window(r.Charge.Params), state,
			float64(calibrate.ComposedMu(r.Charge.Mechanisms)), r.Updated.UTC().Format(time.RFC3339), r.Charge.Dir,
			r.Digests.Release, false, reason,
		})
		for _, d := range r.Rerenderings {
			state, reason = stateOf(r, d.Release)
			out = append(out, runJSON{
				r.Charge.Run, r.Charge.Number, r.Payer.Dataset, d.Job, Window(r.Charge.Params), state, 0,
				d.Recorded.UTC().Format(time.RFC3339), d.Dir, d.Release, true, reason,
			})
		}
	}
	return out
}

func runRows(runs []ledger.Run) [][]string {
	rows := [][]string{{"run", "number", "dataset", "job", "window", "state", "mu", "updated", "folder"}}
	for _, r := range runsJSON(runs) {
		rows = append(rows, []string{
			fmt.Sprintf("%.12s", r.Run), strconv.Itoa(r.Number), r.Dataset, r.Job, console.OrDash(r.Window), r.State,
			spelling.Up(r.Mu, 6), r.Updated, console.Here(r.Folder),
		})
	}
	return rows
}

// printCSV prints rows as CSV; the first row is the header.
func (a *accounts) printCSV(rows [][]string) error {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.WriteAll(rows) // no error: a Builder never fails
	return a.Print(b.String())
}
