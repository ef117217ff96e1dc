package command

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/tally"
)

// Data checks count the rows that the queries cannot use. These counts are exact, and epsilon does not cover them, so
// only the operator may see them (docs/adr/0018). The program prints them on stderr, if stderr is a terminal or the
// user asks for them. It never puts them on stdout, which may become a file next to the release, nor in the release,
// the ledger and the metrics. All other messages of a run are computed from its noisy answers.

func (a *app) addDataChecks(cmd *cobra.Command) {
	a.checks = checksAuto
	cmd.Flags().Var(&a.checks, "data-checks",
		"what to do with the shares of rows that a query cannot use, which are for the operator: "+
			"auto does what data_checks of the job says, and on a terminal shows them and asks before reading if the job "+
			"does not say; show shows them always; refuse ends with 1 before any noise if a column is "+
			"unusable, which readers of the release can see; off counts nothing")
	// no error: the flag exists
	_ = cmd.RegisterFlagCompletionFunc("data-checks", cobra.FixedCompletions(checkModes,
		cobra.ShellCompDirectiveNoFileComp))
}

// shows reports whether a run may print its data checks on stderr.
func (a *app) shows() bool {
	return !a.Quiet && (a.checks == checksShow || a.checks != checksOff && a.Log == "text" && a.Terminal())
}

// policy returns the value of data_checks that the flag implies, so that the release states it; "" if the flag leaves
// it to the job.
func (a *app) policy() string {
	if a.checks == checksRefuse || a.checks == checksOff {
		return string(a.checks)
	}
	return ""
}

// askPolicy asks the person at the terminal how a run should treat unusable columns, if the job does not state it. It
// returns the answer as a value of data_checks; "" if it does not ask. It asks before a row is read, and whether it
// asks depends only on the job: a question that depended on rows would reveal something about them to anybody who sees
// it, or who sees that no release appears.
func (a *app) askPolicy(ctx context.Context, p *pipeline.Plan, ask bool) string {
	if a.checks != checksAuto || !ask || p.Job().DataChecks != "" || dataPolicy(p, false) == "" {
		return ""
	}
	a.Errorf("%s.\nRefuse the release, at no cost, if a column turns out unusable? The release then says so. [Y/n] ",
		a.Redact(dataPolicy(p, false)))
	answer := make(chan string, 1)
	go func() { // If the run is stopped, this goroutine waits for input until the process ends.
		line, err := bufio.NewReader(a.stdin).ReadString('\n')
		if err != nil && line == "" {
			line = "n" // the end of input is not an answer
		}
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		return ""
	case text := <-answer:
		if text == "n" || text == "no" {
			return "off"
		}
		return "refuse"
	}
}

// look returns whether a run examines all rows, some rows or no rows for data checks.
func (a *app) look(p *pipeline.Plan) local.Look {
	switch {
	case p.Refuses():
		return local.LookAll
	case a.shows():
		return local.LookSome
	}
	return local.LookNone
}

// reportData tells the operator about the data checks of a finished release.
func (a *app) reportData(p *pipeline.Plan, o *protocol.Outcome) {
	bad := false
	if o.Checks != nil && a.shows() {
		a.printChecks(p, o.Checks)
		bad = a.printFindings(p.Findings(o.Checks))
	}
	if o.Release == nil || a.checks == checksOff || bad {
		return
	}
	// Only the noisy answers decide this, so everybody may see it.
	var nothing []int
	for i, r := range o.Release.Results() {
		if r.LooksEmpty {
			nothing = append(nothing, i)
		}
	}
	const most = 3 // if there are more warnings, one replaces them all
	if len(nothing) <= most {
		for _, i := range nothing {
			a.Warn(nothingText(p, i))
		}
		return
	}
	var names []string
	for _, i := range nothing[:most] {
		names = append(names, p.Queries()[i].Query.Name())
	}
	a.Warn(fmt.Sprintf("queries %s and %d more of %d: each noisy answer cannot be told from the answer of an empty table"+
		lookText, strings.Join(names, ", "), len(nothing)-most, len(p.Queries())))
}

const lookText = ": release check --data JOB looks at the rows and spends nothing"

// nothingText returns a warning that a query's answer looks like noise alone.
func nothingText(p *pipeline.Plan, query int) string {
	planned := p.Queries()[query]
	q := planned.Query
	for k := range p.Tables() {
		if slices.Contains(p.QueriesOf(k), query) {
			p = p.OfTable(k)
			break
		}
	}
	columns := slices.Concat(p.Filters().Columns(), planned.Filters.Columns(), q.Columns())
	text := fmt.Sprintf("query %s: its noisy answer cannot be told from the answer of an empty table", q.Name())
	if len(columns) > 0 {
		slices.Sort(columns)
		text += "; a column may not be read as it should (" + console.OneLine(strings.Join(slices.Compact(columns), ", ")) +
			")"
	}
	return text + lookText
}

// printFindings prints the findings of data checks on stderr. It returns true if a finding makes a column unusable.
func (a *app) printFindings(found []pipeline.Finding) (bad bool) {
	for _, f := range found {
		bad = bad || f.Unusable
		if a.Log == "json" {
			a.Logger().Warn("data check", "unusable", f.Unusable, "code", f.Code, "message", a.Redact(f.Message), "hint", f.Hint,
				"file", f.File, "line", f.Line, "column", f.Column)
			continue
		}
		a.Errorf("warning: %s\n", a.Redact(console.DiagnosticLines(f.Diagnostic)))
	}
	return bad
}

// printChecks prints for each of the plan's tables on stderr which fraction of the rows is unusable.
func (a *app) printChecks(p *pipeline.Plan, c *pipeline.DataChecks) {
	if len(c.Tables) == 0 {
		a.printShares("", c)
	}
	for k, of := range c.Tables {
		if of != nil {
			a.printShares(p.Tables()[k], of)
		}
	}
}

// printShares prints the fractions for one table. name is "" if the plan has only one table.
func (a *app) printShares(name string, c *pipeline.DataChecks) {
	t := checkTable(c)
	if a.Log == "json" {
		fields := []any{"rows_about", about(c.Rows), "looked_at", pipeline.Percent(c.Looked, c.Rows), "inputs", records(t)}
		if name != "" {
			fields = append(fields, "table", name)
		}
		a.Logger().Info("data checks", fields...)
		return
	}
	if name != "" {
		name = " of table " + name
	}
	a.Errorf("\ndata checks%s, for the operator only: about %s rows%s\n%s\n", name, spelling.Integer(about(c.Rows)),
		a.lookedAt(c),
		console.Aligned(t))
}

// lookedAt describes how many rows were examined for the fractions.
func (a *app) lookedAt(c *pipeline.DataChecks) string {
	text := ""
	if c.Skipped > 0 {
		text += fmt.Sprintf(", %s ruled out by the files' statistics", pipeline.Percent(c.Skipped, c.Rows))
	}
	if !c.All() {
		text += fmt.Sprintf("; shares are of a sample, %s of the others", pipeline.Percent(c.Looked, c.Rows-c.Skipped))
	}
	return text
}

// checkTable returns a table of the data checks. It has a row for each input of the filters and of each query, and a
// row for all inputs of a query together; the first row is the header.
func checkTable(c *pipeline.DataChecks) [][]string {
	out := [][]string{{"query", "input", "null", "unparsed", "outside", "not counted", "cut by bounds"}}
	addInputs := func(name string, inputs []tally.Input, kind string) {
		for _, x := range inputs {
			share := func(n int64) string { return pipeline.Percent(n, x.Rows) }
			input := printable(strings.Join(x.Columns, ", ")) + kind
			if x.Role == tally.RoleUnit {
				input += " (unit)"
			}
			out = append(out, []string{name, input, share(x.Null), share(x.Unparsed), share(x.Outside),
				share(x.Rows - x.Used()), "-"})
		}
	}
	add := func(name string, rows *tally.Tally, bounds bounding.BoundTally) {
		inputs := rows.Inputs()
		addInputs(name, inputs, "")
		if len(inputs) == 0 && bounds.Rows == 0 {
			return
		}
		cut := "-"
		if bounds.Rows > 0 {
			cut = pipeline.Percent(bounds.Cut, bounds.Rows)
		}
		out = append(out, []string{name, "all", "-", "-", "-", pipeline.Percent(rows.Rows()-rows.Counted(), rows.Rows()),
			cut})
	}
	add("input.where", c.Filters, bounding.BoundTally{})
	for _, q := range c.Queries {
		if q.Filters != nil {
			addInputs(q.Name, q.Filters.Inputs(), " (where)")
		}
		add(q.Name, q.Tally, q.Bounds)
	}
	return out
}

// records returns the rows after the header, each as a map from header names to values.
func records(rows [][]string) []map[string]string {
	out := make([]map[string]string, 0, len(rows))
	for _, row := range rows[1:] {
		r := map[string]string{}
		for i, name := range rows[0] {
			r[strings.ReplaceAll(name, " ", "_")] = row[i]
		}
		out = append(out, r)
	}
	return out
}

// about rounds a number of rows down to two digits, or below 100 to a multiple of ten, so that a single row seldom
// changes what is printed.
func about(n int64) int64 {
	if n < 100 {
		return n / 10 * 10
	}
	step := int64(math.Pow10(len(fmt.Sprint(n)) - 2))
	return n / step * step
}
