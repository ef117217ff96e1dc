package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/queries/problem"
)

// Format names the layout of release.json.
const Format = "dprelease/1"

// Previews: constants of [Manifest.MarkSynthetic]. No reader of releases accepts a preview, by its name or by its
// format.
const (
	// SyntheticFormat names the layout of a preview's manifest.
	SyntheticFormat = "dprelease/1-synthetic"
	// SyntheticPrefix begins the name of every file of a preview.
	SyntheticPrefix = "synthetic-"
	// SyntheticNotice is the banner of a preview.
	SyntheticNotice = "synthetic: made without your data"
)

// ErrSynthetic means that a manifest belongs to a preview.
var ErrSynthetic = errors.New("is of a preview, made of synthetic rows without the data: it is no release")

// FileName is the manifest's name in a release folder.
const FileName = "release.json"

// Manifest is release.json. Nothing in it depends on the private data except through the noise.
type Manifest struct {
	// Format is the layout of the file: [Format].
	Format string `json:"format"`
	// Synthetic is set in the manifest of a preview, for which no data was read: such a folder is not a release. It is
	// "" in releases.
	Synthetic string            `json:"synthetic,omitempty"`
	Name      string            `json:"name"`
	Params    map[string]string `json:"params,omitempty"`
	Privacy   Privacy           `json:"privacy"`
	Queries   []Query           `json:"queries"`
	// Documents are the files for people and catalogues; none if the job wants no report.
	Documents []File `json:"documents,omitempty"`
	// Ledger shows the ledger's newest entry when the release was staged; nil in previews.
	Ledger *Ledger `json:"ledger,omitempty"`
	// MadeFrom is the SHA-256 of the manifest of the release whose noisy values this one repeats; both releases
	// together cost as much as one. It is "" if this release drew its own noise.
	MadeFrom string `json:"made_from,omitempty"`
	// Signature is nil if the manifest is not signed.
	Signature *Signature `json:"signature,omitempty"`
	// Job is the effective job without ledger.store, input folders and environment. Its deployment block holds the data
	// owner's statements for readers ([Manifest.Deployment]).
	Job     json.RawMessage `json:"job"`
	Program Program         `json:"program"`
}

// Privacy is the guarantee of the whole release with what a reader needs to judge it, after NIST SP 800-226 and the
// OpenDP deployments registry. All of it follows from the job, the plan and the ledger's account.
type Privacy struct {
	// Statement is the promise in one sentence or two.
	Statement string `json:"statement"`
	// Unit lists the columns of the privacy unit; "row" alone if it is a row, and the name of the unit alone if
	// Upstream is set.
	Unit []string `json:"unit"`
	// Tables are the private tables of the units, if there are several.
	Tables []string `json:"tables,omitempty"`
	// Upstream is the producer's promise about units that the program did not bound; nil if it bounded them.
	Upstream  *Upstream `json:"upstream,omitempty"`
	Adjacency string    `json:"adjacency"`
	PerUnit   Bounds    `json:"per_unit,omitzero"`

	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta"`
	// DeltaFailure is the part of delta for selecting keys, as a decimal: it bounds the probability that a key is
	// published which only one unit has. It is "0" if no keys are selected.
	DeltaFailure string `json:"delta_failure"`
	Measures
	Scope Scope `json:"scope,omitzero"`

	DataDomain Domain `json:"data_domain,omitzero"`
	Noise      Noise  `json:"noise,omitzero"`
	// NotProtected lists what the guarantee does not cover, Unprotected the numbers published without noise, Errors
	// what other outputs may reveal. The data owner's additions are in the job's deployment block.
	NotProtected []string `json:"not_protected,omitempty"`
	Unprotected  []string `json:"unprotected,omitempty"`
	Errors       string   `json:"errors,omitempty"`
	// Selected explains keys that the job did not list; "" if it listed all.
	Selected    string `json:"selected_keys,omitempty"`
	Model       string `json:"model,omitempty"`
	AccessType  string `json:"access_type,omitempty"`
	ReleaseType string `json:"release_type,omitempty"`
	DataSource  string `json:"data_source_type,omitempty"`
}

// Upstream is what the producer of the table promises of each unit. The program neither bounded nor checked it.
type Upstream struct {
	Name string `json:"upstream"`
	// MaxRows is the largest number of rows of a unit, or of rows whose counts it changes, each by at most MaxChange.
	MaxRows   int64 `json:"max_rows,omitempty"`
	MaxChange int64 `json:"max_change,omitempty"`
	// MaxSum is the largest change of all counts together by a unit.
	MaxSum int64 `json:"max_sum,omitempty"`
	// Distinct are columns in which no two rows of a unit are equal.
	Distinct []string `json:"distinct,omitempty"`
}

// String returns the promise as a sentence.
func (u *Upstream) String() string {
	var what string
	switch {
	case u.MaxSum > 0:
		what = fmt.Sprintf("changes all counts of the table together by at most %d", u.MaxSum)
	case u.MaxChange > 0:
		what = fmt.Sprintf("changes at most %s of the table, each by at most %d", problem.Plural(u.MaxRows, "count"), u.MaxChange)
	default:
		what = "has at most " + problem.Plural(u.MaxRows, "row") + " in the table"
	}
	if len(u.Distinct) > 0 {
		what += ", no two of them with the same " + strings.Join(u.Distinct, " and ")
	}
	return "one " + u.Name + " " + what
}

// Bounds limit the contribution of one unit to a query that sets no bounds of its own; 0 if it is not bounded. The
// sensitivities of the mechanisms apply to each query.
type Bounds struct {
	MaxRows int64 `json:"max_rows,omitempty"`
	// MaxRowsUpTo is the limit within which queries that set no bounds of their own find max_rows.
	MaxRowsUpTo     int64 `json:"max_rows_up_to,omitempty"`
	MaxGroups       int64 `json:"max_groups,omitempty"`
	MaxRowsPerGroup int64 `json:"max_rows_per_group,omitempty"`
}

// Measures are the guarantee of the noise in other measures than epsilon and delta. All follow from the mechanisms.
type Measures struct {
	Mu   float64 `json:"mu"`
	Mu2  string  `json:"mu2,omitempty"` // the square of mu, rounded up
	Rho  float64 `json:"rho,omitempty"` // zero-concentrated
	Pure string  `json:"pure_part,omitempty"`
	// EpsilonAt has a proven epsilon for each of several deltas.
	EpsilonAt map[string]float64 `json:"epsilon_at,omitempty"`
}

// Scope describes what else is released under the same budget.
type Scope struct {
	LedgerCap     string `json:"ledger_cap"`
	LedgerCharged string `json:"ledger_charged"` // mu squared of the releases published before and of this one, rounded up
	// Period and PeriodKey name the periods that have a cap of their own ("day") and those that this release falls into
	// ("2013-01-01").
	Period      string `json:"period,omitempty"`
	PeriodKey   string `json:"period_key,omitempty"`
	LifetimeCap string `json:"lifetime_cap"`
	Refund      string `json:"refund"`
}

// Domain describes which columns are read, and how rows are treated.
type Domain struct {
	Columns    []string `json:"columns"`
	Filters    int      `json:"filters"`
	NullPolicy string   `json:"null_policy"`
}

// Noise describes how noise is drawn.
type Noise struct {
	Rounding     string `json:"rounding"`
	Bits         string `json:"bits"`
	ConstantTime bool   `json:"constant_time"`
}

// Ledger identifies the ledger's newest entry, without counting the entries ([ledger.Mark]): a ledger that lacks this
// entry has lost its end.
type Ledger struct {
	Head string `json:"head"`
	MAC  string `json:"mac"`
}

// Signature names the signer of the manifest: the signature itself is beside it, in release.json.minisig.
type Signature struct {
	Format    string `json:"format"`
	PublicKey string `json:"public_key"`
}

// Program describes the program that made the release.
type Program struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Go      string `json:"go"`
	// Commit, Binary and Modules are the commit that was built and the SHA-256 of the executable and of the list of
	// modules in it; "" if they are not known.
	Commit  string `json:"commit,omitempty"`
	Binary  string `json:"binary_sha256,omitempty"`
	Modules string `json:"modules_sha256,omitempty"`
}

// MarkSynthetic makes it the manifest of a preview, which is charged to no ledger.
func (m *Manifest) MarkSynthetic() {
	m.Synthetic, m.Name, m.Ledger = SyntheticNotice, SyntheticPrefix+m.Name, nil
}

// Encode returns the text of the file.
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

// Deployment returns the data owner's statements; absent ones are empty.
func (m *Manifest) Deployment() (d configs.Deployment) {
	var job struct {
		Deployment json.RawMessage `json:"deployment"`
	}
	if json.Unmarshal(m.Job, &job) == nil {
		_ = yaml.Unmarshal(job.Deployment, &d) // JSON is YAML; a missing key is ""
	}
	return d
}

// Dataset returns the dataset whose budget paid for the release, as the job in the manifest has it.
func (m *Manifest) Dataset() string {
	var job struct {
		Ledger struct {
			Dataset string `json:"dataset"`
		} `json:"ledger"`
	}
	_ = json.Unmarshal(m.Job, &job) // a missing key is ""
	return job.Ledger.Dataset
}
