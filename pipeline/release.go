package pipeline

import (
	"github.com/dprelease/dprelease/internal/hook"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/query"
)

// Release is everything public that a run made: the only thing that sinks and reports accept.
type Release struct {
	manifest manifest.Manifest
	formats  []string
	rawCSV   bool
	results  []Result
	signer   Signer
	// presented: documents are written in addition to the tables.
	presented bool
	rehearsal bool
}

func init() {
	hook.NewRelease = func(m manifest.Manifest, formats []string, results []Result) *Release {
		return &Release{manifest: m, formats: formats, results: results}
	}
}

// IsRehearsal reports whether Plan.Rehearse made the release: it is synthetic, and a Sink does not stage it.
func (r *Release) IsRehearsal() bool { return r.rehearsal }

// Result is the answer to one query of a release.
type Result struct {
	Name   string
	Answer query.Answer
	// cells is the number of cells of the answer; in a rehearsal Answer has only the first of them.
	cells int
	// Sparse: write only the cells whose estimate is not zero.
	Sparse bool
	// Withheld is the number of cells that are left empty by the publish rule.
	Withheld int
	// Notes are the choices of the denoising steps, as sentences.
	Notes []string
	// Expected is the expected error of the estimates; nil if there are no steps, or if it is not known.
	Expected *manifest.Error
	// Places are the positions of the cells; nil if they are not points.
	Places *Places
	// LooksEmpty: the noisy answer looks like the answer of an empty table; see [query.Query].
	LooksEmpty bool
}

// Formats returns the formats to write, at least one.
func (r *Release) Formats() []string { return r.formats }

// RawCSV reports whether CSV tables have unescaped texts, including those that a spreadsheet would run as formulas.
func (r *Release) RawCSV() bool { return r.rawCSV }

// Results returns the answers in the job's order.
func (r *Release) Results() []Result { return r.results }

// Manifest returns the release's manifest with the files of each query, by query name.
func (r *Release) Manifest(files map[string][]manifest.File) manifest.Manifest {
	m := r.manifest
	m.Queries = append([]manifest.Query(nil), m.Queries...)
	for i := range m.Queries {
		m.Queries[i].Files = files[m.Queries[i].Name]
		if i < len(r.results) {
			m.Queries[i].Notes, m.Queries[i].Expected = r.results[i].Notes, r.results[i].Expected
		}
	}
	return m
}

// Account adds the ledger's newest entry and the account's state to the manifest.
func (r *Release) Account(newest manifest.Ledger, scope manifest.Scope) {
	r.manifest.Ledger, r.manifest.Privacy.Scope = &newest, scope
}

// MarkSynthetic makes it a preview: its rows are invented from the job, and its manifest states this.
func (r *Release) MarkSynthetic() { r.manifest.MarkSynthetic() }

// MakeFrom records that the release repeats the noisy values of the release whose manifest has this SHA-256.
func (r *Release) MakeFrom(digest string) { r.manifest.MadeFrom = digest }

// Signer signs manifests; it holds the key.
type Signer interface {
	// PublicKey is the text of the key that verifies the signature.
	PublicKey() string
	// Format names the form of the signature: "minisign".
	Format() string
	// Sign returns the content of the signature's file.
	Sign(manifest []byte) []byte
}

// Sign returns the signature of the release's manifest; ok is false if the release is not signed.
func (r *Release) Sign(manifest []byte) (signature []byte, ok bool) {
	if r.signer == nil {
		return nil, false
	}
	return r.signer.Sign(manifest), true
}

// SignBy sets the signer that signs the release when it is staged; nil leaves it unsigned.
func (r *Release) SignBy(s Signer) {
	if s != nil {
		r.signer = s
		r.manifest.Signature = &manifest.Signature{Format: s.Format(), PublicKey: s.PublicKey()}
	}
}

// Presented reports whether the release has documents.
func (r *Release) Presented() bool { return r.presented }
