// Command recompute works out every number of the guarantee that the page of a release prints from its manifest, and
// compares them to the last digit. It shares no code with dprelease: its arithmetic is math/big alone.
//
//	go run ./recompute FOLDER...
package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	failed := false
	for _, dir := range os.Args[1:] {
		compared, wrong, err := check(dir)
		if err != nil {
			wrong = append(wrong, err.Error())
		}
		for _, w := range wrong {
			failed = true
			_, _ = fmt.Fprintln(os.Stdout, dir+": "+w)
		}
		_, _ = fmt.Fprintf(os.Stdout, "%s: %d numbers compared, %d differ\n", dir, compared, len(wrong))
	}
	if failed || len(os.Args) < 2 {
		os.Exit(1)
	}
}

// stated is the part of a manifest that is read.
type stated struct {
	Privacy struct {
		Epsilon, Delta, Mu json.Number
		Pure               string `json:"pure_part"`
		Failure            string `json:"delta_failure"`
		Scope              struct {
			Cap     string `json:"ledger_cap"`
			Charged string `json:"ledger_charged"`
		}
	}
}

// page is the static part of a page, and the results of its comparisons.
type page struct {
	text     string
	compared int
	wrong    []string
}

// want records whether the page prints the computed number.
func (p *page) want(what, printed, computed string) {
	p.compared++
	if printed != computed {
		p.wrong = append(p.wrong, fmt.Sprintf("%s is printed as %q, and is %q", what, printed, computed))
	}
}

// rows returns the cells of the rows of the table whose caption begins with caption.
func (p *page) rows(caption string) [][]string {
	_, rest, found := strings.Cut(p.text, "<caption>"+caption)
	if !found {
		return nil
	}
	table, _, _ := strings.Cut(rest, "</table>")
	_, body, _ := strings.Cut(table, "<tbody>")
	var rows [][]string
	for _, row := range strings.Split(body, "<tr>")[1:] {
		var cells []string
		for _, c := range regexp.MustCompile(`<td[^>]*>([^<]*)</td>`).FindAllStringSubmatch(row, -1) {
			cells = append(cells, c[1])
		}
		rows = append(rows, cells)
	}
	return rows
}

func check(dir string) (int, []string, error) {
	text, err := os.ReadFile(filepath.Join(dir, "release.json"))
	if err != nil {
		return 0, nil, err
	}
	html, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		return 0, nil, err
	}
	var m stated
	if err := json.Unmarshal(text, &m); err != nil {
		return 0, nil, err
	}
	p := &page{text: string(html)}
	guarantee := promise{decimal(m.Privacy.Mu.String()), decimal(m.Privacy.Pure), decimal(m.Privacy.Failure),
		decimal(m.Privacy.Delta.String()).Sign() == 0}
	p.guesses(guarantee)
	p.curve(guarantee)
	p.budget(m.Privacy.Scope.Cap, m.Privacy.Scope.Charged, guarantee)
	return p.compared, p.wrong, nil
}

// decimal parses a number; 0 if the text is empty. The manifest has the shortest digits of float64s, and the page
// computes with the float64, which differs by less than 1 in 10^16.
func decimal(text string) *big.Float {
	x, ok := new(big.Rat).SetString(text)
	if !ok {
		return zero(digits)
	}
	return zero(digits).SetRat(x)
}

func share(text string) *big.Rat {
	x, ok := new(big.Rat).SetString(strings.TrimSuffix(strings.TrimSpace(text), " %"))
	if !ok {
		return new(big.Rat)
	}
	return x.Quo(x, big.NewRat(100, 1))
}

func (p *page) guesses(g promise) {
	half := percent(g.guess(big.NewRat(1, 2)))
	found := regexp.MustCompile(`the guess is right at most ([0-9.]+ %) of the time`).FindStringSubmatch(p.text)
	if found == nil {
		p.wrong = append(p.wrong, "the page has no sentence on a guess at even odds")
	} else {
		p.want("a guess at even odds", found[1], half)
	}
	rows := p.rows("How often such a guess is right")
	if len(rows) < 5 {
		p.wrong = append(p.wrong, "the table of guesses is too short")
	}
	for _, row := range rows {
		p.want("a guess from "+row[0], row[2], g.right(share(row[0])))
		if g.pure.Sign() == 0 && g.failure.Sign() == 0 && g.mu.Sign() > 0 && g.gain(share(row[0])).Cmp(number(tiny)) >= 0 {
			p.want("a guess from "+row[0]+" by the formula", row[2], percent(g.formula(share(row[0]))))
		}
	}
	rows = p.rows("An attacker who accuses so many")
	if len(rows) < 3 {
		p.wrong = append(p.wrong, "the table of alarms is too short")
	}
	for _, row := range rows {
		p.want("true alarms at "+row[0], row[1], percent(g.alarms(share(row[0]))))
	}
}

func (p *page) curve(g promise) {
	rows := p.rows("It is (epsilon, delta)-private")
	if len(rows) == 0 {
		p.wrong = append(p.wrong, "the table of epsilons is empty")
	}
	for _, row := range rows {
		delta, ok := new(big.Rat).SetString(row[0])
		if !ok {
			p.wrong = append(p.wrong, "delta "+row[0])
			continue
		}
		eps := g.epsilon(delta)
		if eps == nil {
			p.wrong = append(p.wrong, "there is no epsilon at "+row[0])
			continue
		}
		p.compared++
		if want := significant(eps, 5); !sameNumber(row[1], want) {
			p.wrong = append(p.wrong, fmt.Sprintf("epsilon at %s is printed as %s, and is %s", row[0], row[1], want))
		}
	}
}

// budget compares the rest of the budget, rounded down, and how much all releases together improve a guess.
func (p *page) budget(limit, charged string, g promise) {
	found := regexp.MustCompile(`^mu ([0-9.e+-]+): `).FindStringSubmatch(limit)
	used, ok := new(big.Rat).SetString(charged)
	if found == nil || !ok {
		return
	}
	cap, _ := new(big.Rat).SetString(found[1])
	cap.Mul(cap, cap)
	left := new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).Quo(used, cap))
	if left.Sign() < 0 {
		left.SetInt64(0)
	}
	printed := regexp.MustCompile(`this one, ([0-9.]+ %) of it is left`).FindStringSubmatch(p.text)
	if printed == nil {
		p.wrong = append(p.wrong, "the page does not say what is left")
		return
	}
	p.want("what is left", printed[1], down(left.Mul(left, big.NewRat(100, 1)), 1)+" %")
	if all := regexp.MustCompile(`even odds before, is right at most ([0-9.]+ %) of the time`).FindStringSubmatch(p.text); all != nil {
		mu := zero(digits).SetRat(used)
		mu.Sqrt(mu)
		p.want("a guess of who sees all releases", all[1], percent(promise{mu: mu, pure: zero(digits),
			failure: zero(digits)}.guess(big.NewRat(1, 2))))
	}
}
