package pipeline

import (
	"encoding/json"

	"github.com/dprelease/dprelease/calibrate"
)

// ManifestFormat names the layout of release.json.
const ManifestFormat = "dprelease/1"

// Manifest is release.json. Nothing in it depends on the private data except through the noise.
type Manifest struct {
	Format  string            `json:"format"`
	Name    string            `json:"name"`
	Params  map[string]string `json:"params"`
	Privacy ManifestPrivacy   `json:"privacy"`
	Queries []ManifestQuery   `json:"queries"`
	// Ledger shows the ledger's newest entry when the release was staged; nil in releases of the first versions.
	Ledger *ManifestLedger `json:"ledger,omitempty"`
	// MadeFrom is the SHA-256 of the manifest of the release whose noisy values this one repeats: both cost what one does. "" if this
	// release drew its own.
	MadeFrom string `json:"made_from,omitempty"`
	// Signature is nil if the manifest is not signed.
	Signature *ManifestSignature `json:"signature,omitempty"`
	// Job is the effective job without ledger.store, input folders and environment.
	Job     json.RawMessage `json:"job"`
	Program Program         `json:"program"`
}

// ManifestLedger shows the ledger's newest entry, without counting the entries ([ledger.Mark]): a ledger that does not have it any more has
// lost its end. Releases of earlier versions have the entry's number and hash instead.
type ManifestLedger struct {
	Head  string `json:"head,omitempty"`
	MAC   string `json:"mac,omitempty"`
	Entry int64  `json:"entry,omitempty"`
	Hash  string `json:"hash,omitempty"`
}

// ManifestPrivacy states the guarantee of the whole release.
type ManifestPrivacy struct {
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta"`
	// DeltaFailure is the part of delta that selecting keys takes: the probability that a key is published which one unit alone has.
	DeltaFailure float64  `json:"delta_failure"`
	Mu           float64  `json:"mu"`
	Unit         []string `json:"unit"`
	Adjacency    string   `json:"adjacency"`
	Statement    string   `json:"statement"`
	*PrivacyStatement
}

func (p ManifestPrivacy) guarantee() calibrate.Guarantee {
	return calibrate.Guarantee{Epsilon: calibrate.Epsilon(p.Epsilon), Delta: calibrate.Delta(p.Delta)}
}

// ManifestQuery describes one query of a release. Mu is the root sum of squares of its parts'. Sensitivity, Sigma and Grid
// are in the unit of the answer, and those of the first part if there are several.
type ManifestQuery struct {
	Name        string              `json:"name"`
	Kind        string              `json:"kind"`
	Cells       int                 `json:"cells"`
	Sensitivity ManifestSensitivity `json:"sensitivity"`
	Sigma       float64             `json:"sigma"`
	Grid        float64             `json:"grid"`
	Mu          float64             `json:"mu"`
	Selection   *ManifestSelection  `json:"selection,omitempty"`
	Parts       []ManifestPart      `json:"parts"`
	Denoise     []string            `json:"denoise"`
	// Notes are what the steps chose, and why, in public words.
	Notes []string `json:"denoise_notes,omitempty"`
	// Expected is what to expect of the estimates' error.
	Expected *ManifestError `json:"expected_error,omitempty"`
	Files    []File         `json:"files"`
}

// ManifestError is what to expect of the error of an estimate, over a query's cells together, in the unit of the answer: the root of
// the mean squared error, and the ends of its 95 % interval. It was worked out from the noisy values. It is no interval for a cell: the only
// one of those is around the noisy value.
type ManifestError struct {
	RMSE float64 `json:"rmse"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// ManifestSensitivity is an L2 sensitivity and the argument for it.
type ManifestSensitivity struct {
	L2  float64 `json:"l2"`
	Why string  `json:"why"`
}

// ManifestSelection says how the keys of a query were selected that the job did not list.
type ManifestSelection struct {
	// MaxGroups is in how many keys one unit counts, once in each.
	MaxGroups int64 `json:"max_groups"`
	// Delta is the query's part of delta_failure.
	Delta float64 `json:"delta"`
	// Threshold is the least noisy count of a key that is published.
	Threshold float64 `json:"threshold"`
	Statement string  `json:"statement"`
}

// ManifestPart is one mechanism of a query.
type ManifestPart struct {
	Name        string              `json:"name"`
	Sensitivity ManifestSensitivity `json:"sensitivity"`
	Sigma       float64             `json:"sigma"`
	Grid        float64             `json:"grid"`
	// StandardDeviation is sqrt(sigma^2 + grid^2/12): of the published values.
	StandardDeviation float64 `json:"standard_deviation"`
	Mu                float64 `json:"mu"`
}

// File is one file of a release; Path is relative to the folder, Rows the number of rows written. Holds says what was read off the
// query's answer: quantiles or cdf; it is empty for the answer itself.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Rows   int    `json:"rows"`
	Holds  string `json:"holds,omitempty"`
}

// Program says what made the release.
type Program struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Go      string `json:"go"`
	// Commit, Binary and Modules are the commit that was built and the SHA-256 of the executable and of the list of modules in it; ""
	// if they are not known.
	Commit  string `json:"commit,omitempty"`
	Binary  string `json:"binary_sha256,omitempty"`
	Modules string `json:"modules_sha256,omitempty"`
}
