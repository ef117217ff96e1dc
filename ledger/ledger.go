// Package ledger records what is spent, before it is spent.
//
// A Book is the logic; a Store is the log beneath it. A run is charged (Book.Charge) before its data is read. Package
// mechanism requires the Receipt of that charge before it draws noise. Entries are append-only and hash-chained.
//
// The promise of an account is that of a Gaussian privacy filter. Mechanisms that are mu_i-GDP given all earlier
// outputs, however they are chosen, and that stop before the sum of mu_i^2 passes mu_cap^2, are together mu_cap-GDP
// (Smith and Thakurta 2022, arXiv 2210.17520; Koskela, Tobaben and Honkela 2022, arXiv 2209.15596).
package ledger

import (
	"math/big"
	"time"

	"github.com/dprelease/dprelease/calibrate"
)

// Account names what a budget belongs to. It is fixed when the budget is first used.
type Account struct {
	Dataset   string
	Unit      string // canonical text: "row", or the unit's columns in order
	Adjacency string // "add-remove" or "replace-one"
}

// Charge asks for the spend of one run.
type Charge struct {
	// Run identifies the question: it is a digest of all that decides which noisy values are drawn. Number counts the
	// run's releases from 1.
	Run    string
	Number int
	Job    string
	Params map[string]string
	// Dir is the absolute path of the release folder.
	Dir        string
	Account    Account
	Budget     Budget
	Mechanisms []calibrate.Mechanism
	// DeltaShare is the probability with which the run may fail apart from its mechanisms, as an exact decimal. Empty
	// means 0.
	DeltaShare string
	// Delta is the job's own delta. A refusal says what would still fit at it. If it is 0, the budget's delta is used.
	// It is not recorded.
	Delta calibrate.Delta
}

// State is how far a run has come.
type State string

// The states of a run, in order. Released means that the reservation was given back before the first draw.
const (
	Reserved  State = "reserved"
	Sealed    State = "sealed"
	Published State = "published"
	Released  State = "released"
)

// Digests bind a run to its input and its output.
type Digests struct {
	Input   string // Book.Fingerprint of the input's digest; empty if it is not known
	Release string // SHA-256 of release.json, hex
	// Presentation is a digest of how the noisy values are presented: name, formats, denoising and the like.
	Presentation string
}

// Derivation is a further publication of a run: another presentation of the same noisy values. It costs nothing.
type Derivation struct {
	Presentation string
	Release      string // SHA-256 of release.json, hex
	Dir          string // the absolute path of its folder
	Job          string
	Recorded     time.Time
}

// Run is what the ledger knows of a run.
type Run struct {
	Charge  Charge
	State   State
	Digests Digests // set from Sealed on
	Updated time.Time
	// Payer is the account that pays for the run, with Mu2. Usually it is the account of the charge.
	Payer Account
	Mu2   *big.Float
	// Derived are the further publications, in the order of their entries. The newest of each presentation counts.
	Derived []Derivation
	// Withdrawn is set if the run was published and is wrong: it, and all its further publications, which show the same
	// noisy values.
	Withdrawn *Withdrawal
}

// Withdrawal says when a publication was withdrawn, and why. The spend stays.
type Withdrawal struct {
	At     time.Time
	Reason string
}

// Move says where a closed ledger goes on, and since when.
type Move struct {
	At time.Time
	To string
}
