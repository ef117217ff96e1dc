package configs

import (
	"cmp"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/configs/internal/yamltree"
	"github.com/dprelease/dprelease/io/store"
)

// ParseOptions holds the values that a job file may refer to.
type ParseOptions struct {
	// Params are the values of --param, by name.
	Params map[string]string
	// Env looks up ${env:NAME}, for example os.LookupEnv. If it is nil, no variable is set.
	Env func(string) (string, bool)
	// Sample gives a sample value to parameters that have none. Commands for which the values do not matter use it, such
	// as commands on the ledger.
	Sample bool
	// Effective is set for the job in a release, in which references to parameters are replaced already.
	Effective bool
	// DataChecks replaces the job's data_checks, unless it is "". The release then states the value that was used.
	DataChecks string
	// CheckStep returns the problems of a denoising step, since this package does not know the methods. If it is nil,
	// steps are not checked here but when the plan is made.
	CheckStep StepChecker
}

// Load reads the job file at a path and parses it: see Parse.
func Load(path string, o ParseOptions) (*Job, Diagnostics) {
	src, err := yamltree.ReadFile(path)
	if err != nil {
		text, hint := yamltree.Unreadable(path, err)
		return nil, Diagnostics{{File: path, Line: 1, Column: 1, Code: CodeUnreadable, Message: text, Hint: hint}}
	}
	if what := otherFile(path); what != "" {
		return nil, Diagnostics{{File: path, Line: 1, Column: 1, Code: CodeYAML, Message: "this is " + what + ", and not a job",
			Hint: "give the path of a job file; release init FILE writes a first one"}}
	}
	return Parse(path, src, o)
}

// otherFile returns what a file is by its name, if it is certainly not a job; "" otherwise. Messages about a job quote
// its text, which must not happen to the rows of a private table.
func otherFile(path string) string {
	switch {
	case hasExtension(path, slices.Concat(extensions, tabsExtensions, lineExtensions, []string{".csv"}), true):
		return "a table by its name"
	case filepath.Base(path) == "release.json":
		return "the manifest of a release"
	}
	return ""
}

// Parse decodes a job file, sets absent keys to their defaults, replaces references, and checks everything that can be
// checked without data. path is the path of the file. The job's own paths are relative to its folder. Parse returns all
// problems together, in the order of the file. The job is nil if there is a problem.
func Parse(path string, src []byte, o ParseOptions) (*Job, Diagnostics) {
	root, f := yamltree.ReadTree(src)
	if f != nil {
		return nil, Diagnostics{diagnostic(path, *f)}
	}
	d := yamltree.NewDecoder(root, &jobFormat, o.Env)
	d.Vars.Replaced = o.Effective
	job := &Job{file: path, src: d.Src}
	p := &paramReader{Decoder: d, job: job, sample: o.Sample}
	p.parameters(o.Params)
	d.DecodeFields(reflect.ValueOf(job).Elem(), yamltree.Spot{Node: root})
	if !o.Effective {
		p.unusedParams()
	}
	yamltree.FillDefaults(reflect.ValueOf(job).Elem())
	if in := &job.Input; (in.SQL != nil || len(in.Tables) > 0) && !d.Has((*yamltree.Path)(nil).At("input").At("csv")) {
		in.CSV = CSV{} // the effective job must not have defaults of CSV files for this input
	}
	fillDependentDefaults(job)
	if o.DataChecks != "" {
		job.DataChecks = o.DataChecks
	}
	c := &checker{Report: d.Report, job: job, judge: o.CheckStep}
	if !d.Stopped {
		c.check()
	}
	if diags := diagnosticsOf(path, d.Report); len(diags) > 0 {
		return nil, diags
	}
	return job, nil
}

// Diagnose returns a diagnostic for a path such as queries[0].histogram.by[1].column. If the file does not have the
// path, the diagnostic points to the nearest place above it. The message is used as it is.
func (j *Job) Diagnose(path, code, message, hint string) Diagnostic {
	d := Diagnostic{File: j.file, Line: 1, Column: 1, Code: code, Message: message, Hint: hint}
	if j.src != nil {
		_, place, _ := yamltree.Find(j.src.Root, j.pathInJob(path))
		d.Line, d.Column = max(1, place.Line), max(1, place.Column)
	}
	return d
}

// Dir returns the folder of the job file, to which its paths are relative.
func (j *Job) Dir() string {
	if dir := filepath.Dir(j.file); dir != "/dev/fd" {
		return dir
	}
	return "."
}

// Path resolves a path of the job file: relative paths start at its folder. An address of a store stays as it is.
func (j *Job) Path(p string) string {
	if filepath.IsAbs(p) || store.IsAddress(p) {
		return p
	}
	return filepath.Join(j.Dir(), p)
}

// StoreName returns the store of the ledger. The path of a SQLite file is resolved.
func (j *Job) StoreName() string {
	file, ok := sqliteFile(j.Ledger.Store)
	if !ok {
		return j.Ledger.Store
	}
	return strings.TrimSuffix(j.Ledger.Store, file) + j.Path(file)
}

// Bounds returns what one privacy unit may contribute to a query. The query's own bounds override the job's. If the
// unit is a row, or the query is over units, it contributes one row. 0 stands for no bound.
func (j *Job) Bounds(q *Query) PerUnit {
	if len(j.Privacy.Unit.Columns) == 0 || q.OverUnits() {
		return PerUnit{MaxRows: 1, MaxGroups: 1, MaxRowsPerGroup: 1}
	}
	return j.Privacy.PerUnit.with(q.PerUnit)
}

// with returns the bounds p with the query's own bounds, if any, in place of those of the same key.
func (p PerUnit) with(own *PerUnit) PerUnit {
	b := p
	if own != nil {
		b.MaxRows = cmp.Or(own.MaxRows, b.MaxRows)
		b.MaxRowsUpTo = cmp.Or(own.MaxRowsUpTo, b.MaxRowsUpTo)
		b.MaxRowsShare = cmp.Or(own.MaxRowsShare, b.MaxRowsShare)
		b.MaxGroups = cmp.Or(own.MaxGroups, b.MaxGroups)
		b.MaxRowsPerGroup = cmp.Or(own.MaxRowsPerGroup, b.MaxRowsPerGroup)
		if len(own.SampleBy) > 0 {
			b.SampleBy = own.SampleBy
		}
	}
	return b
}
