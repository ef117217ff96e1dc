package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/spelling"
)

// Format is the name of release.json's format.
const Format = "dprelease/1"

// Constants of previews, which [Manifest.MarkSynthetic] sets. No reader of releases accepts a preview, because of its
// file name and its format.
const (
	// SyntheticFormat is the name of a preview's format.
	SyntheticFormat = "dprelease/1-synthetic"
	// SyntheticPrefix is the beginning of the name of every file of a preview.
	SyntheticPrefix = "synthetic-"
	// SyntheticNotice is the text of the banner of a preview.
	SyntheticNotice = "synthetic: made without your data"
)

// ErrSynthetic means that a manifest belongs to a preview, not to a release.
var ErrSynthetic = errors.New("is of a preview, made of synthetic rows without the data: it is no release")

// FileName is the manifest's name in a release folder.
const FileName = "release.json"

// Manifest is the contents of release.json. Nothing in it depends on private data, except through the noise.
type Manifest struct {
	// Format is the name of the file's format: [Format].
	Format string `json:"format"`
	// Synthetic is a notice in the manifest of a preview, for which no data was read; such a folder is not a release. It
	// is "" in releases.
	Synthetic string            `json:"synthetic,omitempty"`
	Name      string            `json:"name"`
	Params    map[string]string `json:"params,omitempty"`
	Privacy   Privacy           `json:"privacy"`
	Queries   []Query           `json:"queries"`
	// Documents are the files that are not tables, such as the web page; none if the job wants no report.
	Documents []File `json:"documents,omitempty"`
	// Ledger identifies the ledger's newest entry when the release was staged; nil in previews.
	Ledger *Ledger `json:"ledger,omitempty"`
	// MadeFrom is set if this release re-renders the noisy values of another one: the SHA-256 of the other's manifest.
	// Both releases together cost as much as one. It is "" if this release drew its own noise.
	MadeFrom string `json:"made_from,omitempty"`
	// Signature is nil if the manifest is not signed.
	Signature *Signature `json:"signature,omitempty"`
	// Job is the job as it was run, without ledger.store, input folders and environment. Its deployment block holds the
	// data owner's statements for readers ([Manifest.Deployment]).
	Job     json.RawMessage `json:"job"`
	Program Program         `json:"program"`
}

// Privacy states the guarantee of the whole release with what a reader needs to judge it, after NIST SP 800-226 and the
// OpenDP deployments registry. All of it follows from the job, the plan and the ledger's account.
type Privacy struct {
	// Statement is the guarantee in one or two sentences.
	Statement string `json:"statement"`
	// Unit lists the columns of the privacy unit. It is "row" alone if the unit is a row, and the name of the unit alone
	// if Upstream is set.
	Unit []string `json:"unit"`
	// Tables are the names of the private tables, if there are several.
	Tables []string `json:"tables,omitempty"`
	// Upstream is what the table's producer promises about units that the program did not bound; nil if the program
	// bounded them.
	Upstream  *Upstream `json:"upstream,omitempty"`
	Adjacency string    `json:"adjacency"`
	PerUnit   Bounds    `json:"per_unit,omitzero"`

	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta"`
	// DeltaFailure is the part of delta for selecting keys, as a decimal: it bounds the probability that a key is
	// published that only one unit has. It is "0" if no keys are selected.
	DeltaFailure string `json:"delta_failure"`
	Measures
	Scope Scope `json:"scope,omitzero"`

	DataDomain Domain `json:"data_domain,omitzero"`
	Noise      Noise  `json:"noise,omitzero"`
	// NotProtected lists what the guarantee does not cover, Unprotected the numbers that are published without noise, and
	// Errors what error messages and other outputs may reveal. The data owner's additions are in the job's deployment
	// block.
	NotProtected []string `json:"not_protected,omitempty"`
	Unprotected  []string `json:"unprotected,omitempty"`
	Errors       string   `json:"errors,omitempty"`
	// Selected explains to readers that keys were selected from the data; "" if the job lists all keys.
	Selected string `json:"selected_keys,omitempty"`
	// Model, AccessType, ReleaseType and DataSource are words of the OpenDP deployments registry, such as "Central" and
	// "Non-interactive".
	Model       string `json:"model,omitempty"`
	AccessType  string `json:"access_type,omitempty"`
	ReleaseType string `json:"release_type,omitempty"`
	DataSource  string `json:"data_source_type,omitempty"`
}

// Upstream is what the table's producer promises about each unit. The program neither enforced nor checked it.
type Upstream struct {
	Name string `json:"upstream"`
	// MaxRows is the largest number of rows of a unit. In a table of counts it is the largest number of rows whose counts
	// a unit changes, and MaxChange the largest change of each.
	MaxRows   int64 `json:"max_rows,omitempty"`
	MaxChange int64 `json:"max_change,omitempty"`
	// MaxSum is the largest sum of a unit's changes of all counts.
	MaxSum int64 `json:"max_sum,omitempty"`
	// Distinct are columns whose values differ in any two rows of a unit.
	Distinct []string `json:"distinct,omitempty"`
}

// String returns the promise as a sentence.
func (u *Upstream) String() string {
	var what string
	switch {
	case u.MaxSum > 0:
		what = fmt.Sprintf("changes all counts of the table together by at most %d", u.MaxSum)
	case u.MaxChange > 0:
		what = fmt.Sprintf("changes at most %s of the table, each by at most %d", spelling.Count(u.MaxRows, "count"),
			u.MaxChange)
	default:
		what = "has at most " + spelling.Count(u.MaxRows, "row") + " in the table"
	}
	if len(u.Distinct) > 0 {
		what += ", no two of them with the same " + strings.Join(u.Distinct, " and ")
	}
	return "one " + u.Name + " " + what
}

// Bounds are the limits on the contribution of one unit to a query that sets no limits of its own; 0 means no limit.
// The sensitivities of the mechanisms hold for each query's own limits.
type Bounds struct {
	MaxRows int64 `json:"max_rows,omitempty"`
	// MaxRowsUpTo is the largest max_rows that such a query may find by a search.
	MaxRowsUpTo     int64 `json:"max_rows_up_to,omitempty"`
	MaxGroups       int64 `json:"max_groups,omitempty"`
	MaxRowsPerGroup int64 `json:"max_rows_per_group,omitempty"`
	// SampleBy names the columns that decide which max_rows rows of a unit count.
	SampleBy []string `json:"sample_by,omitempty"`
}

// Measures expresses the guarantee in measures other than epsilon and delta. All follow from the mechanisms.
type Measures struct {
	Mu   float64 `json:"mu"`
	Mu2  string  `json:"mu2,omitempty"` // the square of mu, rounded up
	Rho  float64 `json:"rho,omitempty"` // zero-concentrated differential privacy
	Pure string  `json:"pure_part,omitempty"`
	// EpsilonAt maps deltas to a proven epsilon each.
	EpsilonAt map[string]float64 `json:"epsilon_at,omitempty"`
}

// Scope describes the budget from which this and other releases are paid.
type Scope struct {
	// LedgerCap states the largest mu that the ledger allows in all, and the epsilon and delta that it is worth.
	LedgerCap string `json:"ledger_cap"`
	// LedgerCharged is the sum of mu² of this release and all releases published before, rounded up.
	LedgerCharged string `json:"ledger_charged"`
	// Period names the periods that have a cap of their own ("day"), and PeriodKey the ones in which this release was
	// charged ("2013-01-01").
	Period      string `json:"period,omitempty"`
	PeriodKey   string `json:"period_key,omitempty"`
	LifetimeCap string `json:"lifetime_cap"`
	// Refund states when a charge is given back.
	Refund string `json:"refund"`
}

// Domain describes which columns are read, and which rows count.
type Domain struct {
	Columns    []string `json:"columns"`
	Filters    int      `json:"filters"` // the number of filters
	NullPolicy string   `json:"null_policy"`
}

// Noise describes how noise is drawn.
type Noise struct {
	Rounding     string `json:"rounding"`
	Bits         string `json:"bits"` // where the random bits are from
	ConstantTime bool   `json:"constant_time"`
}

// Ledger identifies the ledger's newest entry without revealing the number of entries ([ledger.Mark]). If a ledger
// lacks this entry, its end was cut off or it was rolled back.
type Ledger struct {
	Head string `json:"head"`
	MAC  string `json:"mac"`
}

// Signature names the signer of the manifest. The signature itself is in release.json.minisig.
type Signature struct {
	Format    string `json:"format"`
	PublicKey string `json:"public_key"`
}

// Program describes the program that made the release.
type Program struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Go      string `json:"go"`
	// Commit is the commit that was built. Binary and Modules are the SHA-256 of the executable and of its list of
	// modules. They are "" if unknown.
	Commit  string `json:"commit,omitempty"`
	Binary  string `json:"binary_sha256,omitempty"`
	Modules string `json:"modules_sha256,omitempty"`
}

// MarkSynthetic marks the manifest as a preview's, which is charged to no ledger.
func (m *Manifest) MarkSynthetic() {
	m.Synthetic, m.Name, m.Ledger = SyntheticNotice, SyntheticPrefix+m.Name, nil
}

// Encode returns the text of release.json.
func (m Manifest) Encode() ([]byte, error) {
	if m.Format = Format; m.Synthetic != "" {
		m.Format = SyntheticFormat
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(m); err != nil {
		return nil, errors.New("the manifest can't be written as JSON")
	}
	return b.Bytes(), nil
}

// Deployment returns the data owner's statements in the job; absent ones are empty.
func (m *Manifest) Deployment() (d configs.Deployment) {
	var job struct {
		Deployment json.RawMessage `json:"deployment"`
	}
	if json.Unmarshal(m.Job, &job) == nil {
		_ = yaml.Unmarshal(job.Deployment, &d) // JSON is also YAML; if a key is missing, its field stays empty
	}
	return d
}

// Dataset returns the name of the dataset whose budget paid for the release, from the job in the manifest.
func (m *Manifest) Dataset() string {
	var job struct {
		Ledger struct {
			Dataset string `json:"dataset"`
		} `json:"ledger"`
	}
	_ = json.Unmarshal(m.Job, &job) // if the key is missing, the field stays empty
	return job.Ledger.Dataset
}
