package combine

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/dprelease/dprelease/queries/domain"
)

// Selection is a parsed description of some cells of a table:
//
//	[WEIGHT *] [RELEASE:]TABLE [where CONDITION {and CONDITION}]
//
// A condition compares a key column with labels: COLUMN = LABEL, !=, <, <=, >, >=, or COLUMN in (LABEL, LABEL, …).
// Labels and names with other characters than letters, digits and ._+-/: stand in double quotes, and "" is a quote in
// them. <, <=, > and >= compare numbers if all labels of the column are numbers, else texts by their bytes, which puts
// dates such as 2025-01-31 in order.
type Selection struct {
	Weight         float64
	Release, Table string // Release is "" if the text names none.
	conditions     []condition
	text           string
}

// condition is a condition on a key column.
type condition struct {
	column, op string
	labels     []string
}

// String returns the text that was parsed.
func (s *Selection) String() string { return s.text }

// Parse parses the description of cells. Its errors are for the person who wrote it.
func Parse(text string) (*Selection, error) {
	s := &Selection{Weight: 1, text: text}
	p := &parser{rest: text}
	if before, after, ok := strings.Cut(text, "*"); ok && !strings.ContainsAny(before, "\"=<>(") {
		w, err := strconv.ParseFloat(strings.TrimSpace(before), 64)
		if err != nil || math.IsNaN(w) || math.IsInf(w, 0) {
			return nil, fmt.Errorf("%q is not a number: write 0.5 * TABLE", strings.TrimSpace(before))
		}
		s.Weight, p.rest = w, after
	}
	name, err := p.word("a table")
	if err != nil {
		return nil, err
	}
	s.Table = name
	if release, table, ok := strings.Cut(name, ":"); ok {
		s.Release, s.Table = release, table
	}
	for join := "where"; p.skipSpace() != ""; join = "and" {
		if !p.keyword(join) {
			return nil, fmt.Errorf("expected %q before %q", join, p.rest)
		}
		c, err := p.condition()
		if err != nil {
			return nil, err
		}
		s.conditions = append(s.conditions, c)
	}
	return s, nil
}

// parser reads words from the front of a text.
type parser struct{ rest string }

func (p *parser) skipSpace() string {
	p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace)
	return p.rest
}

// keyword skips a word and returns true if the rest of the text begins with the word.
func (p *parser) keyword(word string) bool {
	after, ok := strings.CutPrefix(p.skipSpace(), word)
	if !ok || after != "" && !unicode.IsSpace(rune(after[0])) && after[0] != '(' {
		return false
	}
	p.rest = after
	return true
}

// symbol skips a sign and returns true if the rest of the text begins with the sign.
func (p *parser) symbol(sign string) bool {
	after, ok := strings.CutPrefix(p.skipSpace(), sign)
	if ok {
		p.rest = after
	}
	return ok
}

// word reads a name or a label, quoted or not.
func (p *parser) word(what string) (string, error) {
	if p.symbol(`"`) {
		var word strings.Builder
		for {
			part, after, ok := strings.Cut(p.rest, `"`)
			if !ok {
				return "", errors.New("a closing quote is missing")
			}
			word.WriteString(part)
			if p.rest = after; !strings.HasPrefix(after, `"`) {
				return word.String(), nil
			}
			word.WriteByte('"') // two quotes in a row stand for one in the label
			p.rest = after[1:]
		}
	}
	end := strings.IndexFunc(p.skipSpace(), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._+-/:", r)
	})
	if end < 0 {
		end = len(p.rest)
	}
	if end == 0 {
		return "", fmt.Errorf("expected %s before %q", what, p.rest)
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	return word, nil
}

func (p *parser) condition() (c condition, err error) {
	if c.column, err = p.word("a column"); err != nil {
		return c, err
	}
	if p.keyword("in") {
		c.op = "="
		if !p.symbol("(") {
			return c, fmt.Errorf("expected a list after in: %s in (A, B)", c.column)
		}
		for {
			label, err := p.word("a label")
			if err != nil {
				return c, err
			}
			c.labels = append(c.labels, label)
			switch {
			case p.symbol(")"):
				return c, nil
			case !p.symbol(","):
				return c, fmt.Errorf("expected , or ) after %q", label)
			}
		}
	}
	for _, op := range []string{"!=", "<=", ">=", "=", "<", ">"} {
		if p.symbol(op) {
			c.op = op
			label, err := p.word("a label")
			c.labels = []string{label}
			return c, err
		}
	}
	return c, fmt.Errorf("expected =, !=, <, <=, >, >= or in after %q", c.column)
}

// In returns the selected cells of a table as a term, each with the weight s.Weight. It is an error if the table lacks
// a named column or label, or if no cell is selected.
func (s *Selection) In(t *Table) (Term, error) {
	weights := slices.Repeat([]float64{s.Weight}, t.Rows)
	for _, c := range s.conditions {
		i := slices.IndexFunc(t.Keys, func(k domain.KeyColumn) bool { return k.Name == c.column })
		if i < 0 {
			return Term{}, fmt.Errorf("%s has no key column %q: its key columns are %s", s.Table, c.column, columnNames(t.Keys))
		}
		if err := c.filter(t.Keys[i].Labels.Texts(), weights); err != nil {
			return Term{}, err
		}
	}
	if !slices.ContainsFunc(weights, func(w float64) bool { return w != 0 }) {
		return Term{}, fmt.Errorf("no cell of %s meets all conditions", s.Table)
	}
	return Term{t, weights}, nil
}

// filter sets the weights of the rows that do not meet the condition to 0. labels is the key column's label of each
// row.
func (c *condition) filter(labels []string, weights []float64) error {
	compare := strings.Compare
	if allNumbers(labels) && allNumbers(c.labels) {
		compare = compareNumbers
	} else if c.op != "=" && c.op != "!=" && allNumbers(labels) {
		return fmt.Errorf("%q is not a number, and all labels of %s are", c.labels[0], c.column)
	}
	meets := map[string]func(order int) bool{
		"=": func(o int) bool { return o == 0 }, "!=": func(o int) bool { return o != 0 },
		"<": func(o int) bool { return o < 0 }, "<=": func(o int) bool { return o <= 0 },
		">": func(o int) bool { return o > 0 }, ">=": func(o int) bool { return o >= 0 },
	}[c.op]
	for _, want := range c.labels {
		if (c.op == "=" || c.op == "!=") && !slices.ContainsFunc(labels,
			func(l string) bool { return compare(l, want) == 0 }) {
			return fmt.Errorf("%s has no label %q: its labels are %s", c.column, want, firstOf(labels))
		}
	}
	for i, label := range labels {
		if !slices.ContainsFunc(c.labels, func(want string) bool { return meets(compare(label, want)) }) {
			weights[i] = 0
		}
	}
	return nil
}

func allNumbers(texts []string) bool {
	return !slices.ContainsFunc(texts, func(s string) bool {
		x, err := strconv.ParseFloat(s, 64)
		return err != nil || math.IsNaN(x)
	})
}

// compareNumbers compares integers exactly, and other numbers as doubles.
func compareNumbers(a, b string) int {
	i, errA := strconv.ParseInt(a, 10, 64)
	k, errB := strconv.ParseInt(b, 10, 64)
	if errA == nil && errB == nil {
		return cmp.Compare(i, k)
	}
	x, _ := strconv.ParseFloat(a, 64) // both texts are numbers, so there is no error
	y, _ := strconv.ParseFloat(b, 64)
	return cmp.Compare(x, y)
}

// maxLabels is the maximum number of labels that an error names.
const maxLabels = 12

// firstOf lists at most maxLabels distinct labels.
func firstOf(labels []string) string {
	var seen []string
	for _, l := range labels {
		if slices.Contains(seen, l) {
			continue
		}
		if len(seen) == maxLabels {
			seen = append(seen, "…")
			break
		}
		seen = append(seen, l)
	}
	return strings.Join(seen, ", ")
}

func columnNames(keys []domain.KeyColumn) string {
	var names []string
	for _, k := range keys {
		names = append(names, k.Name)
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}
