package pipeline

import (
	"github.com/dprelease/dprelease/internal/hook"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/query"
)

// Release holds everything public that a run made. Sinks and reports accept nothing else.
type Release struct {
	manifest manifest.Manifest
	formats  []string
	rawCSV   bool
	results  []Result
	signer   Signer
	// presented is set if the release has documents, such as a web page, in addition to tables.
	presented bool
	rehearsal bool
}

func init() {
	hook.NewRelease = func(m manifest.Manifest, formats []string, results []Result) *Release {
		return &Release{manifest: m, formats: formats, results: results}
	}
}

// IsRehearsal reports whether Plan.Rehearse made the release. Then it is synthetic, and a Sink does not stage it.
func (r *Release) IsRehearsal() bool { return r.rehearsal }

// Result is the answer to one query of a release.
type Result struct {
	Name   string
	Answer query.Answer
	// cells is the number of cells of the whole answer. In a rehearsal Answer has only the first cells.
	cells int
	// Sparse is set if only the cells whose estimate is not zero are written.
	Sparse bool
	// Withheld is the number of cells that the publish rule leaves empty.
	Withheld int
	// Complementary is the number of these cells that satisfy the rule. If they were published, the other withheld
	// cells could be computed from them.
	Complementary int
	// Notes are sentences about the choices that the denoising steps made.
	Notes []string
	// Expected is the expected error of the estimates; nil if there are no denoising steps, or if the error is unknown.
	Expected *manifest.Error
	// Places are the geographic positions of the cells; nil if the cells are not points.
	Places *Places
	// LooksEmpty is set if the noisy values could come from an empty table; see [query.Query].
	LooksEmpty bool
}

// Formats returns the file formats to write, at least one.
func (r *Release) Formats() []string { return r.formats }

// RawCSV reports whether CSV tables contain strings unescaped, even if a spreadsheet would run them as formulas.
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

// Account adds the ledger's newest entry and the state of the budget to the manifest.
func (r *Release) Account(newest manifest.Ledger, scope manifest.Scope) {
	r.manifest.Ledger, r.manifest.Privacy.Scope = &newest, scope
}

// MarkSynthetic marks the release as a preview: its rows are invented from the job, and its manifest says so.
func (r *Release) MarkSynthetic() { r.manifest.MarkSynthetic() }

// MakeFrom records that the release re-renders the noisy values of another release, whose manifest has this SHA-256.
func (r *Release) MakeFrom(digest string) { r.manifest.MadeFrom = digest }

// Signer signs manifests with a key that it holds.
type Signer interface {
	// PublicKey returns the public key that verifies the signature, as text.
	PublicKey() string
	// Format returns the name of the signature's format: "minisign".
	Format() string
	// Sign returns the content of the signature file.
	Sign(manifest []byte) []byte
}

// Sign returns the signature of the release's manifest; ok is false if the release has no signer.
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
