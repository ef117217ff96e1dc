package jobs

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/ledger"
)

// longReserved is the age, since it was reserved, at which a charge is reported. Few runs take longer.
const longReserved = time.Hour

// Waiting returns the charges of a dataset that have been reserved for more than an hour. Their runs still work, or
// were interrupted and wait for the next run of the same job. A charge dated more than an hour ahead of the clock is
// among them: its age is unknown, since a clock was ahead or was set back.
func Waiting(runs []ledger.Run, dataset string, now time.Time) (out []ledger.Run) {
	for _, r := range runs {
		if r.State == ledger.Reserved && r.Payer.Dataset == dataset && now.Sub(r.Updated).Abs() > longReserved {
			out = append(out, r)
		}
	}
	return out
}

// WaitingText describes a reserved charge: its job, its age, and how to end it.
func WaitingText(r *ledger.Run, now time.Time) string {
	since := r.Updated.UTC().Format(time.RFC3339)
	if r.Updated.After(now) {
		since += ", which the clock has not reached"
	}
	job := r.Charge.Job
	for _, name := range slices.Sorted(maps.Keys(r.Charge.Params)) {
		job += " --param " + name + "=" + r.Charge.Params[name]
	}
	return console.OneLine("job " + strings.TrimSpace(job) + " is charged and not published since " + since +
		": its run is at work, or was cut short; the same run again takes it up at no cost")
}
