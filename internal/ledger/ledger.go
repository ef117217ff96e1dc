// Package ledger records privacy spend before it is spent.
//
// A Store keeps the log of entries. A Book decides what may be charged, and reads and appends entries. A run is charged
// (Book.Charge) before its data is read. Package mechanism requires the Receipt of that charge before it draws noise.
// Entries are append-only and hash-chained.
//
// An account is a Gaussian privacy filter. Each mechanism is mu_i-GDP given all earlier outputs, and may be chosen in
// any way from these outputs. The account refuses a mechanism with which the sum of mu_i^2 would exceed mu_cap^2. Then
// all of them together are mu_cap-GDP (Smith and Thakurta 2022, arXiv 2210.17520; Koskela, Tobaben and Honkela 2022,
// arXiv 2209.15596).
package ledger

import (
	"math/big"
	"time"

	"github.com/dprelease/dprelease/calibrate"
)

// Account names a budget. The first charge to an account fixes its unit and adjacency.
type Account struct {
	Adjacency string `json:"adjacency"` // "add-remove" or "replace-one"
	Dataset   string `json:"dataset"`
	Unit      string `json:"unit"` // canonical text: "row", or the columns that identify a unit, in order
}

// Charge is a request to reserve the spend of one release.
type Charge struct {
	// Run is the run's fingerprint: a digest of everything that decides which noisy values are drawn. Number numbers
	// the releases of this run from 1.
	Run    string
	Number int
	Job    string
	Params map[string]string
	// Input is the version of the input that the run reads, such as a snapshot of a table; empty if the input keeps no
	// versions. A resumed run reads the same version. Input is not public.
	Input string
	// Units defines the privacy unit of each table that the run reads, as canonical text by the table's name. The name
	// is "" if the job has one table only. Units is empty if no columns identify the unit.
	Units map[string]string
	// Dir is the absolute path of the release folder.
	Dir        string
	Account    Account
	Budget     Budget
	Mechanisms []calibrate.Mechanism
	// DeltaShare is the probability of failure that the run adds to the delta of its mechanisms, such as publishing the
	// key of a single unit. It is an exact decimal. Empty means 0.
	DeltaShare string
	// Delta is the job's own delta. A refusal names the largest epsilon that would still fit at this delta. 0 stands
	// for the budget's delta. It is not recorded.
	Delta calibrate.Delta
}

// State is the progress of a release.
type State string

// The states of a release, in order. A reservation can be cancelled only before noise is drawn.
const (
	Reserved  State = "reserved"
	Sealed    State = "sealed"
	Published State = "published"
	Cancelled State = "cancelled"
)

// Digests identify the input and the files of a release.
type Digests struct {
	Input   string // keyed digest of the input (Book.Fingerprint); empty if it is not known
	Release string // SHA-256 of release.json, hex
	// Rendering is a digest of all settings that present the noisy values without changing them: name, formats,
	// denoising and the like.
	Rendering string
}

// Rerendering is the record of a re-rendering: the same noisy values as in a published release, in another rendering.
// It costs nothing.
type Rerendering struct {
	Rendering string
	Release   string // SHA-256 of release.json, hex
	Dir       string // the absolute path of its folder
	Job       string
	Recorded  time.Time
}

// Run is the ledger's record of one release of a run.
type Run struct {
	Charge  Charge
	State   State
	Digests Digests // zero until the release is sealed
	Updated time.Time
	// Payer is the account that pays for the release. It can be another than the account of the charge. Mu2 is the mu
	// squared that the payer was charged.
	Payer Account
	Mu2   *big.Float
	// Rerenderings are in the order in which they were recorded. If several have the same Rendering, the newest counts.
	Rerenderings []Rerendering
	// Withdrawn is set if the owner declared the published release wrong. The re-renderings, which show the same noisy
	// values, are then wrong, too.
	Withdrawn *Withdrawal
	// Pruned maps the SHA-256 of a publication's manifest to the time at which its folder was deleted on purpose.
	Pruned map[string]time.Time
}

// Withdrawal is the owner's statement that a published release is wrong. The release stays charged.
type Withdrawal struct {
	At     time.Time
	Reason string
}

// Move names the store in which a closed ledger goes on, and the time at which it was closed.
type Move struct {
	At time.Time
	To string
}
