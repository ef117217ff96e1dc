package beam

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/io/source/fault"
)

// Faults of workers
//
// If a worker fails, the runner returns its error to the submitter within a longer text. That text may hold private
// values, so it is never printed. Instead, a worker's error contains a mark, and the submitter prints the text of the
// [Fault] with this mark. Neither the mark nor that text contains values of variables, options of URLs, or data of
// rows.

// KeyVariable names the environment variable that holds the key of the run, for workers and for the submitter.
const KeyVariable = "DPRELEASE_RUN_KEY"

// Fault is a reason why a worker fails, which workers report to the submitter.
type Fault struct {
	name string
	// Says is the message for the user: what is wrong and what to do.
	Says string
	// Passes is set if the fault can be temporary, so that another attempt may succeed.
	Passes bool
}

// The faults that workers report.
var (
	NoKey = &Fault{name: "no-key", Says: "a worker has no key of a run: set " + KeyVariable +
		" in the environment of each worker"}
	OtherKey = &Fault{name: "other-key", Says: "a worker has the key of another run: set " + KeyVariable +
		" in the environment of each worker to the submitter's, and start the workers again"}
	OtherPlan = &Fault{name: "other-plan", Says: "a worker's plan is another one: it runs another version of the " +
		"program, or variables of its environment that the job names have other values"}
	NoVariable = &Fault{name: "no-variable", Says: "a worker lacks variables of the environment that the job names (its " +
		"log says which): set those of the input's addresses and of the question for each worker, and start the workers " +
		"again"}
	Changed = &Fault{name: "input-changed", Says: "the input was changed after it was looked at, or a worker sees " +
		"other files: run again when it rests"}
	Unread = &Fault{name: "input-unread", Passes: true, Says: "a worker cannot read the input (its log names the " +
		"file and the reason): each worker needs the files under the same names and, for a store, " +
		"the store's own variables, files or role with the right to read, as docs/howto/object-stores.md says. " +
		"Set them in the environment of each worker, and start the workers again"}
	Unwritten = &Fault{name: "unwritten", Passes: true, Says: "a worker cannot write a file under --parts: is there " +
		"room, and may each worker write there?"}
	Unshared = &Fault{name: "unshared", Passes: true, Says: "a worker cannot read what another one wrote under " +
		"--parts: do all workers see the same folder?"}
)

var faults = []*Fault{NoKey, OtherKey, OtherPlan, NoVariable, Changed, Unread, Unwritten, Unshared}

func (f *Fault) mark() string { return "[dprelease:" + f.name + "] " }

// with returns an error that contains the fault's mark and details.
func (f *Fault) with(details string) error {
	if details == "" {
		return errors.New(f.mark() + f.Says)
	}
	return fmt.Errorf("%s%s (%s)", f.mark(), f.Says, details)
}

// inputFault returns the fault that describes an error of reading the input. It returns other errors unchanged.
func inputFault(err error) error {
	e := new(fault.Error)
	switch {
	case !errors.As(err, &e):
		return err
	case e.Code == fault.CodeChanged:
		return Changed.with(err.Error())
	}
	return Unread.with(err.Error())
}

// FaultIn returns the fault that a worker reported, by its mark in an error of a runner; nil if there is none.
func FaultIn(err error) *Fault {
	text := fmt.Sprint(err)
	for _, f := range faults {
		if strings.Contains(text, f.mark()) {
			return f
		}
	}
	return nil
}

// SaidIn returns the fault's message and the details that a runner's error has after the fault's mark.
func (f *Fault) SaidIn(err error) string {
	_, text, _ := strings.Cut(fmt.Sprint(err), f.mark())
	text, _, _ = strings.Cut(text, "\n")
	return text
}
