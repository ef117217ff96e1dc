// Package ledger records privacy spend before it is spent.
//
// A Book is the logic; a Store is the log beneath it. A run is charged (Book.Charge) before its data is read. Package
// mechanism requires the Receipt of that charge before it draws noise. Entries are append-only and hash-chained.
//
// An account promises a Gaussian privacy filter. Let mechanisms be mu_i-GDP given all earlier outputs, chosen in any
// way, and let them stop before the sum of mu_i^2 exceeds mu_cap^2. Together they are mu_cap-GDP (Smith and Thakurta
// 2022, arXiv 2210.17520; Koskela, Tobaben and Honkela 2022, arXiv 2209.15596).
package ledger

import (
	"math/big"
	"time"

	"github.com/dprelease/dprelease/calibrate"
)

// Account identifies a budget: a dataset, a unit and an adjacency. It is fixed when the budget is first used.
type Account struct {
	Dataset   string
	Unit      string // canonical text: "row", or the unit's columns in order
	Adjacency string // "add-remove" or "replace-one"
}

// Charge is a request for the spend of one run.
type Charge struct {
	// Run is the run's fingerprint: a digest of everything that decides which noisy values are drawn. Number counts the
	// run's releases from 1.
	Run    string
	Number int
	Job    string
	Params map[string]string
	// Input is the version of the input that the run reads, such as a snapshot; empty if the input keeps no versions. A
	// run that is resumed reads the same version. It is not public.
	Input string
	// Units are the definitions of the unit in the tables that the run reads, by the names of the tables, as canonical
	// texts. The name is "" if the job has one table only, and they are empty if no columns define the unit.
	Units map[string]string
	// Dir is the absolute path of the release folder.
	Dir        string
	Account    Account
	Budget     Budget
	Mechanisms []calibrate.Mechanism
	// DeltaShare is the probability with which the run may fail beside its mechanisms, as an exact decimal. Empty means
	// 0.
	DeltaShare string
	// Delta is the job's own delta. A refusal names the epsilon that would still fit at this delta. If it is 0, the
	// budget's delta is used. It is not recorded.
	Delta calibrate.Delta
}

// State is the progress of a run.
type State string

// The states of a run, in order. Cancelled means that the reservation was cancelled before the first draw.
const (
	Reserved  State = "reserved"
	Sealed    State = "sealed"
	Published State = "published"
	Cancelled State = "cancelled"
)

// Digests bind a run to its input and its output.
type Digests struct {
	Input   string // Book.Fingerprint of the input's digest; empty if it is not known
	Release string // SHA-256 of release.json, hex
	// Rendering is a digest of the way the noisy values are presented: name, formats, denoising and the like.
	Rendering string
}

// Rerendering is a re-rendering of a run: another rendering of the same noisy values. It costs nothing.
type Rerendering struct {
	Rendering string
	Release   string // SHA-256 of release.json, hex
	Dir       string // the absolute path of its folder
	Job       string
	Recorded  time.Time
}

// Run is the ledger's record of a run.
type Run struct {
	Charge  Charge
	State   State
	Digests Digests // set from Sealed on
	Updated time.Time
	// Payer is the account that pays for the run, with Mu2. Usually it is the account of the charge.
	Payer Account
	Mu2   *big.Float
	// Rerenderings are in the order of their entries. The newest of each rendering counts.
	Rerenderings []Rerendering
	// Withdrawn is set if the run was published and is wrong. It then also holds for all re-renderings, which show the
	// same noisy values.
	Withdrawn *Withdrawal
	// Pruned holds the time at which the folder of a publication was deleted on purpose, by the SHA-256 of its
	// manifest.
	Pruned map[string]time.Time
}

// Withdrawal is the withdrawal of a publication. The spend stays.
type Withdrawal struct {
	At     time.Time
	Reason string
}

// Move names the store in which a closed ledger goes on, and the time.
type Move struct {
	At time.Time
	To string
}
