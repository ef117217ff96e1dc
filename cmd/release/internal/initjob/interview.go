package initjob

import (
	"bufio"
	"context"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
)

// The questions that init asks on a terminal for the values that no flag gives: unit, epsilon, delta, bound and
// queries.

// prompt asks a question on the terminal and returns the answer. If check is not nil and returns an error, it shows the
// error and asks again, so that a typing error does not lose the earlier answers.
type prompt func(question string, check func(answer string) error) (string, error)

func (f *flags) prompt(ctx context.Context, c *console.Console) prompt {
	lines := make(chan string)
	go func() { // a read from a terminal cannot be stopped: after a signal it is left to the end of the process
		defer close(lines)
		for in := bufio.NewScanner(f.in); in.Scan(); {
			select {
			case lines <- in.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return func(question string, check func(answer string) error) (string, error) {
		for {
			c.Errorf("%s\n> ", question)
			var line string
			select {
			case <-ctx.Done():
				c.Errorf("\n")
				return "", ctx.Err()
			case given, ok := <-lines:
				if !ok {
					c.Errorf("\n")
					return "", console.Usagef("there is no answer")
				}
				line = given
			}
			answer := strings.TrimSpace(line)
			problem := check(answer)
			if problem == nil {
				return answer, nil
			}
			c.Errorf("%s\n", problem)
		}
	}
}

// interview asks for the values that no flag gives.
func (f *flags) interview(ctx context.Context, c *console.Console) error {
	ask := f.prompt(ctx, c)
	var names []string
	for i, name := range f.Table.Names {
		names = append(names, console.OneLine(name)+" ("+f.Table.Types[i]+")")
	}
	c.Errorf("The table has the columns %s.\n", strings.Join(names, ", "))
	if err := f.askGuarantee(ask); err != nil {
		return err
	}
	if len(f.asks) > 0 || f.profile {
		return nil
	}
	f.complete()
	return f.askQuestions(ctx, c, ask)
}

// askGuarantee asks for the privacy unit, epsilon, delta and the bound on the rows of a unit.
func (f *flags) askGuarantee(ask prompt) error {
	for _, s := range []struct {
		absent   bool
		question string
		check    func(answer string) error
		keep     func(answer string)
	}{
		{len(f.unit) == 0, "Whom does the guarantee protect? Name the column (or columns, with commas) that identifies a " +
			"person, a household, a device; or row.", f.checkUnit, f.keepUnit},
		{f.Epsilon == "", "Epsilon of this release? Lower is stronger; publications often have 0.1 to 3.",
			checkEpsilon, func(answer string) { f.Epsilon = answer }},
		{f.Delta == "", "Delta? Far below 1 / number of units, such as 1e-6.", checkDelta,
			func(answer string) { f.Delta = answer }},
	} {
		if !s.absent {
			continue
		}
		answer, err := ask(s.question, s.check)
		if err != nil {
			return err
		}
		s.keep(answer)
	}
	if slices.Equal(f.unit, []string{"row"}) || f.MaxRows > 0 {
		return nil
	}
	answer, err := ask("How many rows of one unit may count at most? More rows keep more of the data and need more noise.",
		func(answer string) error {
			if positive(answer) == 0 {
				return console.Usagef("%q is not a positive integer", console.OneLine(answer))
			}
			return nil
		})
	f.MaxRows = positive(answer)
	return err
}

// keepUnit sets the columns of the unit from an answer.
func (f *flags) keepUnit(answer string) {
	for column := range strings.SplitSeq(answer, ",") {
		f.unit = append(f.unit, strings.TrimSpace(column))
	}
}

// checkUnit returns an error if an answer is neither a column of the table nor row.
func (j *Job) checkUnit(answer string) error {
	if answer == "row" {
		return nil
	}
	for column := range strings.SplitSeq(answer, ",") {
		if column = strings.TrimSpace(column); !slices.Contains(j.Table.Names, column) {
			return console.Usagef("%q is not a column of the table; write row if each row is protected by itself",
				console.OneLine(column))
		}
	}
	return nil
}

// checkEpsilon returns an error if an answer is not an epsilon.
func checkEpsilon(answer string) error {
	if x, err := calibrate.ParseDown(answer); err != nil || x <= 0 || x > 1e6 {
		return console.Usagef("%q is not an epsilon; write a number above 0, such as 1 or 0.5", console.OneLine(answer))
	}
	return nil
}

// checkDelta returns an error if an answer is not a delta.
func checkDelta(answer string) error {
	if x, err := calibrate.ParseDown(answer); err != nil || x < 0 || x >= 1 {
		return console.Usagef("%q is not a delta; write a number of at least 0 and far below 1, such as 1e-6",
			console.OneLine(answer))
	}
	return nil
}

// askQuestions asks for the queries. It tries each in a job with those before it.
func (f *flags) askQuestions(ctx context.Context, c *console.Console, ask prompt) error {
	c.Errorf("What do you want to know? One query a line; an empty line ends.\n%s\n", Grammar)
	var questions []Query
	for {
		line, err := ask("A question, or nothing:", func(line string) error {
			if line == "" && len(f.asks) > 0 {
				return nil
			}
			q, err := Parse(line)
			if err != nil {
				return err
			}
			tried := f.Job
			tried.Questions = append(slices.Clone(questions), q)
			if err := tried.checkColumns(); err != nil {
				return err
			}
			if _, err := f.text(ctx, &tried); err != nil {
				return err
			}
			questions = append(questions, q)
			return nil
		})
		if err != nil || line == "" {
			return err
		}
		f.asks = append(f.asks, line)
	}
}
