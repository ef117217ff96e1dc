package initjob

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/queries/problem"
)

// A job that cannot run is reported by lines and keys of a file that its user never sees. The text of the job is
// written by Job.Text, so each of its lines leads back to the answer that decided it.

// keyPath matches the path of a key, or of an item of a list, at the start of a diagnostic's message.
var keyPath = regexp.MustCompile(`^[a-z_]+([.\[]\S*)?: `)

// formCodes are the codes of problems that another form of the answer ends. Others have better hints of their own.
var formCodes = []string{configs.CodeBadValue, configs.CodeDuplicate, problem.CodeColumnType}

// faults returns a sentence for each problem of a job with this text. It names the answer that is at fault and, for an
// answer about a column, what the column accepts.
func (j *Job) faults(text string, diags configs.Diagnostics) (all []string) {
	told := map[string]bool{}
	for _, d := range diags {
		said := keyPath.ReplaceAllString(d.Message, "")
		answer, accepted := j.answerAt(text, d)
		if budget, ok := strings.CutPrefix(d.Message, "ledger.budget."); ok {
			if told[said+d.Hint] { // the budget is the epsilon and delta of the release unless flags state another
				continue
			}
			key, _, _ := strings.Cut(budget, ":")
			answer = cmp.Or(answer, "--budget-"+key)
		}
		told[said+d.Hint] = true
		if answer == "" {
			answer, said = "the job", d.Message
		}
		if accepted == "" || d.Hint != "" && !slices.Contains(formCodes, d.Code) {
			accepted = d.Hint
		}
		if accepted != "" {
			said += " (" + accepted + ")"
		}
		all = append(all, console.OneLine(answer+": "+said))
	}
	return all
}

// answerOf maps the beginnings of lines of a job's text to the flags that decide these lines.
var answerOf = []struct{ line, flag string }{
	{"name:", "--name"}, {"  epsilon:", "--epsilon"}, {"  delta:", "--delta"}, {"  unit:", "--unit"},
	{"  per_unit:", "--max-rows"}, {"  dir:", "--out"}, {"  store:", "--ledger"}, {"  dataset:", "--dataset"},
}

// answerAt returns the answer that decides the line of the job's text with a problem; "" if no answer does. For a query
// it also returns the forms of cells, or of a range, that the column of this line accepts.
func (j *Job) answerAt(text string, d configs.Diagnostic) (answer, accepted string) {
	lines := strings.Split(text, "\n")
	lines = lines[:min(max(d.Line, 1), len(lines))]
	last := lines[len(lines)-1]
	start := slices.Index(lines, "queries:")
	if start < 0 || slices.Contains(lines, "output:") || strings.HasPrefix(last, "data_checks:") {
		for _, a := range answerOf {
			if strings.HasPrefix(last, a.line) {
				return a.flag, ""
			}
		}
		if d.Code == configs.CodeContradiction && strings.HasPrefix(last, "      ") {
			return "--unit", "" // the type of a column of the unit
		}
		return "", ""
	}
	query, dimension := -1, -1
	for _, l := range lines[start:] {
		switch {
		case strings.HasPrefix(l, "  - name:"):
			query, dimension = query+1, -1
		case strings.HasPrefix(l, "        - {column:"):
			dimension++
		}
	}
	if query < 0 || query >= len(j.Questions) {
		return "", ""
	}
	q := &j.Questions[query]
	answer = "--ask " + strconv.Quote(q.Asked)
	if q.Asked == "" {
		answer = "the query for " + strings.Join(q.Columns(), ", ")
	}
	if dimension < 0 || dimension >= len(q.By) {
		if q.Value != nil {
			return answer, j.rangeOf(q.Value.Column, d.Code)
		}
		return answer, ""
	}
	if q.By[dimension].File != "" {
		return answer, "" // the fault may be the file's
	}
	return answer, j.cellsOf(q.By[dimension].Column, q.Kind)
}

// kindOf returns the type of a column without its layout or unit: int, date or timestamp, for example.
func (j *Job) kindOf(column string) string {
	at := slices.Index(j.Table.Names, column)
	if at < 0 {
		return ""
	}
	kind, _, _ := strings.Cut(j.Table.Types[at], " ")
	kind, _, _ = strings.Cut(kind, "[")
	return kind
}

// rangeOf returns the form of the range in which a column's values are added up, for a problem with this code.
func (j *Job) rangeOf(column, code string) string {
	if kind := j.kindOf(column); code == problem.CodeColumnType || kind == "date" || kind == "timestamp" ||
		kind == "bool" {
		return fmt.Sprintf("column %s is %s: ask this about a column of numbers", column, kind)
	}
	return fmt.Sprintf("write %s=MIN..MAX with the lower number first, such as %s=0..100", column, column)
}

// cellsOf returns the forms of cells that a column of its type accepts in a query of a kind.
func (j *Job) cellsOf(column, query string) string {
	kind := j.kindOf(column)
	forms := []string{column + "=a|b|c", column + "=discover"}
	switch kind {
	case "int", "uint", "float":
		if forms = []string{column + "=0..100/5", column + "=1|2|3"}; query == "quantiles" {
			return fmt.Sprintf("write %s=FROM..TO/WIDTH, such as %s", column, forms[0])
		}
	case "bool":
		forms = []string{column + "=true|false"}
	case "date":
		forms = []string{column + "=2024-01-01..2025-01-01/month", column + "=day_of_week"}
	case "timestamp":
		forms = []string{column + "=2024-01-01..2025-01-01/month", column + "=hour_of_day"}
	}
	if query == "quantiles" {
		return fmt.Sprintf("column %s is %s: ask this about a column of numbers", column, kind)
	}
	return fmt.Sprintf("column %s is %s: write %s, each value once", column, kind, strings.Join(forms, " or "))
}
