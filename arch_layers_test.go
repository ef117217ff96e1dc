package dprelease_test

import (
	"slices"
	"strings"
)

// engines run a plan. All of them may import the same packages.
var engines = []string{"io/source", "io/table", "mechanism", "pipeline", "queries", "queries/bounding", "queries/domain", "queries/tally"}

// exposed is what pipeline may import, and so what its users see.
var exposed = []string{
	"calibrate", "configs", "denoise", "io/store", "io/table", "ledger", "mechanism", "pipeline/clampsearch", "pipeline/manifest", "queries", "queries/bounding", "queries/domain", "queries/problem",
	"queries/quantize", "queries/strategy", "queries/tally",
}

// kindOfQuery is what a kind of query may import, besides other kinds.
var kindOfQuery = []string{
	"calibrate", "io/table", "mechanism", "mechanism/int128", "queries/query", "queries/kinds/base",
	"queries/bounding", "queries/domain", "queries/problem", "queries/quantize", "queries/sensitivity", "queries/strategy", "queries/tally",
	"queries/internal/accumulate", "queries/internal/answers", "queries/internal/distribution", "queries/internal/heavytails", "queries/internal/keyselection",
}

// layers lists what each package may import of this module, besides its own internal packages. An internal package that
// is not listed may import what its owner may. A *test package may import the package that it tests, what that imports,
// and the *test packages of these. Generators, cmd and examples may import everything except *test packages.
var layers = map[string][]string{
	"calibrate":         nil,
	"calibrate/methods": {"calibrate", "calibrate/internal"},
	"io/table":          nil,
	"docs":              nil, // the pages that the program shows
	"internal":          nil, // the *test packages of all
	"internal/mutants":  nil, // a program
	"internal/special":  nil,
	"internal/spelling": nil,
	"denoise/graph":     {"denoise/internal/splitmix", "denoise/internal/sure"},

	// Algorithms that know nothing of steps, shapes, methods and graphs.
	"denoise/internal/anova":            nil,
	"denoise/internal/haar":             nil,
	"denoise/internal/line":             nil,
	"denoise/internal/mixture":          nil,
	"denoise/graph/internal/dendrogram": nil,
	"denoise/graph/internal/sparse":     nil,
	"denoise/graph/internal/treetv":     nil,

	"configs":         {"calibrate", "internal/spelling", "io/store"},
	"ledger":          {"calibrate"},
	"ledger/sqlstore": {"calibrate", "ledger"},
	"io/store":        nil,
	"io/store/web":    {"io/store"},
	"io/source":       {"io/store", "io/table"},
	// The formats do not import each other. The code that they share is below them.
	"io/source/internal/csv":     {"io/table", "io/source/internal/scan"},
	"io/source/internal/jsonl":   {"io/table", "io/source/internal/scan"},
	"io/source/internal/arrow":   {"io/table", "io/source/internal/scan"},
	"io/source/internal/parquet": {"io/table", "io/source/internal/scan"},
	"io/source/internal/scan":    {"io/table"},
	"io/source/internal/remote":  {"io/store", "io/source/internal/scan"},

	"mechanism":          {"calibrate", "ledger", "mechanism/int128"},
	"mechanism/int128":   nil, // so that whoever adds answers up may use them
	"mechanism/selftest": {"calibrate", "calibrate/methods", "internal/special", "mechanism", "mechanism/internal"},

	"queries/problem":           {"internal/spelling", "io/table"},
	"queries/internal/columnar": {"io/table"},
	"queries/internal/intern":   nil,
	"queries/internal/manyhash": nil,
	"queries/internal/bottomk":  {"queries/internal/manyhash"},
	"queries/internal/compact":  {"queries/internal/intern"},
	"queries/internal/units":    {"io/table", "queries/problem", "queries/internal/columnar", "queries/internal/intern"},
	"queries/internal/contents": {"queries/internal/columnar", "queries/internal/compact", "queries/internal/intern"},
	"queries/internal/sampling": {"queries/internal/bottomk", "queries/internal/compact", "queries/internal/manyhash"},
	"queries/internal/steps":    nil,
	"queries/internal/earth":    nil,
	"queries/internal/literal":  {"calibrate", "io/table", "queries/problem"},
	"queries/internal/state":    nil,
	"queries/internal/calendar": {"io/table", "queries/internal/columnar", "queries/internal/steps"},
	"queries/domain": {
		"calibrate", "io/table", "queries/problem",
		"queries/internal/calendar", "queries/internal/columnar", "queries/internal/earth", "queries/internal/intern", "queries/internal/literal", "queries/internal/steps",
	},
	"queries/bounding":    {"io/table", "queries/problem", "queries/internal/bottomk", "queries/internal/columnar", "queries/internal/compact", "queries/internal/contents", "queries/internal/intern", "queries/internal/manyhash", "queries/internal/sampling", "queries/internal/state", "queries/internal/units"},
	"queries/quantize":    {"io/table", "mechanism/int128", "queries/domain", "queries/problem", "queries/internal/columnar"},
	"queries/strategy":    {"mechanism/int128"},
	"queries/sensitivity": {"calibrate", "queries/bounding", "queries/problem", "queries/quantize"},
	// These add rows up, for listed cells and for discovered cells.
	"queries/internal/accumulate": {
		"io/table", "mechanism", "mechanism/int128", "queries/bounding", "queries/domain", "queries/quantize", "queries/strategy",
		"queries/internal/columnar", "queries/internal/intern", "queries/internal/privateclamp", "queries/internal/state",
	},
	"queries/internal/privateclamp": nil,
	"queries/internal/agree":        nil,
	"queries/internal/keyselection": {
		"io/table", "mechanism", "mechanism/int128", "queries/bounding", "queries/domain", "queries/problem",
		"queries/internal/accumulate", "queries/internal/columnar", "queries/internal/intern", "queries/internal/state",
	},
	"queries/tally": {
		"io/table", "queries/bounding", "queries/domain", "queries/problem", "queries/quantize",
		"queries/internal/columnar", "queries/internal/keyselection", "queries/internal/units",
	},
	// The words of a query, the kinds on them, and the door that chooses a kind. No kind imports another, but a clamp that is discovered is one of a
	// sum, as are sums by selected keys, and cells that may share noise are a histogram's.
	"queries/query": {
		"calibrate", "io/table", "mechanism", "mechanism/int128",
		"queries/bounding", "queries/domain", "queries/quantize", "queries/sensitivity", "queries/strategy", "queries/tally",
		"queries/internal/privateclamp",
	},
	"queries/internal/heavytails":   nil,
	"queries/internal/answers":      {"calibrate", "mechanism", "queries/domain", "queries/problem", "queries/query"},
	"queries/internal/distribution": {"mechanism", "queries/domain", "queries/problem", "queries/query", "queries/strategy", "queries/internal/answers", "queries/internal/heavytails"},
	"queries/internal/gather":       {"io/table", "mechanism", "queries/bounding", "queries/query", "queries/internal/accumulate", "queries/internal/state", "queries/internal/units"},
	"queries/kinds/base": {
		"calibrate", "io/table", "mechanism", "queries/bounding", "queries/domain", "queries/problem", "queries/query", "queries/sensitivity", "queries/tally",
		"queries/internal/accumulate", "queries/internal/answers", "queries/internal/gather", "queries/internal/privateclamp", "queries/internal/units",
	},
	"queries/kinds/histogram":  append([]string{"queries/internal/earth"}, kindOfQuery...),
	"queries/kinds/ordered":    kindOfQuery,
	"queries/kinds/shared":     append([]string{"queries/kinds/histogram"}, kindOfQuery...),
	"queries/kinds/sums":       append([]string{"queries/internal/privateclamp"}, kindOfQuery...),
	"queries/kinds/clamped":    append([]string{"queries/kinds/sums", "queries/internal/privateclamp"}, kindOfQuery...),
	"queries/kinds/limited":    append([]string{"queries/internal/privateclamp"}, kindOfQuery...),
	"queries/kinds/discovered": kindOfQuery,
	"queries/kinds/bykeys":     append([]string{"queries/kinds/sums"}, kindOfQuery...),
	"queries/kinds/crosstabs":  append([]string{"queries/internal/agree"}, kindOfQuery...),
	"queries": {
		"calibrate", "io/table", "mechanism", "queries/bounding", "queries/domain", "queries/problem", "queries/quantize", "queries/query",
		"queries/kinds/base", "queries/kinds/bykeys", "queries/kinds/clamped", "queries/kinds/crosstabs", "queries/kinds/discovered", "queries/kinds/histogram", "queries/kinds/limited", "queries/kinds/ordered", "queries/kinds/shared", "queries/kinds/sums",
	},

	"denoise":            {"calibrate", "mechanism", "denoise/graph", "internal/spelling"},
	"pipeline/datacheck": {"configs", "io/table", "queries/bounding", "queries/tally"},
	"pipeline":           append([]string{"pipeline/datacheck"}, exposed...),
	"pipeline/manifest":  {"calibrate", "configs", "denoise", "io/table", "ledger", "mechanism", "queries"},
	// A query whose clamp is found in the run.
	"pipeline/clampsearch": {"calibrate", "mechanism", "pipeline/manifest", "queries"},

	"pipeline/protocol": append([]string{"pipeline"}, exposed...),

	"pipeline/local":                       append([]string{"pipeline/partial"}, engines...),
	"pipeline/sqlpush":                     append([]string{"mechanism/int128", "queries/problem", "pipeline/sqlpush/internal/evenly", "pipeline/sqlpush/internal/columns", "pipeline/sqlpush/internal/duckscan", "pipeline/sqlpush/internal/expr", "pipeline/sqlpush/internal/keys", "pipeline/sqlpush/internal/numerals", "pipeline/sqlpush/internal/places", "pipeline/sqlpush/internal/refusals", "pipeline/sqlpush/internal/unittexts", "pipeline/sqlpush/internal/rowbatch", "pipeline/sqlpush/internal/sessions", "pipeline/sqlpush/internal/spills", "pipeline/sqlpush/internal/sums", "pipeline/sqlpush/internal/timefields", "pipeline/sqlpush/internal/vectors"}, engines...),
	"pipeline/sqlpush/internal/evenly":     {},
	"pipeline/sqlpush/internal/duckscan":   {"queries/domain"},
	"pipeline/sqlpush/internal/columns":    {"io/table", "pipeline/sqlpush/internal/duckscan", "queries/domain"},
	"pipeline/sqlpush/internal/expr":       {"queries/domain"},
	"pipeline/sqlpush/internal/keys":       {"io/table", "queries"},
	"pipeline/sqlpush/internal/refusals":   {"io/table", "queries", "queries/domain", "queries/problem"},
	"pipeline/sqlpush/internal/rowbatch":   {"io/table"},
	"pipeline/sqlpush/internal/sessions":   {"pipeline", "pipeline/sqlpush/internal/sqlstates"},
	"pipeline/sqlpush/internal/spills":     {},
	"pipeline/sqlpush/internal/sqlstates":  {},
	"pipeline/sqlpush/internal/sums":       {"mechanism/int128", "pipeline/sqlpush/internal/keys", "queries", "queries/bounding"},
	"pipeline/sqlpush/internal/timefields": {"queries/domain"},
	"pipeline/sqlpush/internal/numerals":   {"io/table", "queries/domain"},
	"pipeline/sqlpush/internal/places":     {"queries/domain"},
	"pipeline/sqlpush/internal/unittexts":  {"io/table"},
	"pipeline/sqlpush/internal/vectors":    {},
	"pipeline/beam":                        append([]string{"configs", "internal/wiring", "pipeline/local", "pipeline/partial"}, engines...),

	// Partial aggregates: their encryption, and what they say of themselves.
	"pipeline/partial": {"io/table", "queries"},

	"internal/wiring": {"configs", "io/source", "pipeline"},

	"io/sink": append([]string{"pipeline"}, exposed...),
	"report":  append([]string{"calibrate/methods", "pipeline", "report/catalogue", "report/picture"}, exposed...),

	"report/catalogue": nil,
	"report/picture":   nil,
}

func layerViolations(tr *tree) (out []string) {
	for _, s := range tr.production() {
		if !known(s.dir) {
			out = append(out, tr.at(s.file, "package %s is not in the table of layers", s.dir))
			continue
		}
		for _, spec := range s.file.Imports {
			if to, ok := tr.within(importPath(spec)); ok && !mayImport(s.dir, to) {
				out = append(out, tr.at(spec, "%s may not import %s", s.dir, to))
			}
		}
	}
	return out
}

// owner returns dir if it is listed. Otherwise it returns the package to which an internal package belongs, or the one
// that a *test package tests.
func owner(dir string) string {
	if _, listed := layers[dir]; listed {
		return dir
	}
	if before, _, internal := strings.Cut(dir, "/internal"); internal {
		return before
	}
	if testSupport(dir) {
		return dir[:max(strings.LastIndex(dir, "/"), 0)]
	}
	return dir
}

// unbound reports whether dir holds programs, which may import everything, or is a module of its own, like bench.
func unbound(dir string) bool {
	return generator(dir) || below(dir, "cmd", "examples", "bench", "pagetest", "stores", "duckdb", "pipeline/beam/program", "pipeline/beam/cmd")
}

func known(dir string) bool {
	_, listed := layers[owner(dir)]
	return listed || unbound(dir)
}

func mayImport(from, to string) bool {
	if testSupport(to) {
		return testSupport(from) && mayImport(from, owner(to))
	}
	if unbound(from) {
		return true
	}
	from, allowed := owner(from), reach(from)
	return below(to, from+"/internal") || slices.ContainsFunc(allowed, func(dir string) bool {
		return to == dir || strings.HasSuffix(dir, "/internal") && below(to, dir)
	})
}

// reach lists what a package may import of this module, besides its own internal packages.
func reach(dir string) []string {
	if !testSupport(dir) {
		return layers[owner(dir)]
	}
	allowed := append([]string{owner(dir)}, layers[owner(dir)]...)
	switch dir {
	case "pipeline/enginetest": // tests engines, not pipeline alone
		allowed = append(allowed, engines...)
	case "pipeline/sqlpush/sqlpushtest": // and the local engine, and jobs
		allowed = append(allowed, "configs", "pipeline/local", "pipeline/stabilitytest")
	case "pipeline/stabilitytest": // and jobs, from their files on
		allowed = append(append(allowed, engines...), "internal/wiring", "pipeline/manifest", "pipeline/protocol", "pipeline/showntest")
	}
	return allowed
}

// These imports of the private path could let a value out or bypass the type system.
var impure = []string{"os", "net", "log", "syscall", "unsafe", "C", "golang.org/x/sys"}

func pureViolations(tr *tree) (out []string) {
	for _, root := range []string{"calibrate", "calibrate/methods", "queries", "mechanism", "denoise", "denoise/graph", "io/table"} {
		for _, dir := range tr.closure(root) {
			for _, s := range tr.production() {
				if s.dir != dir {
					continue
				}
				for _, spec := range s.file.Imports {
					if below(importPath(spec), impure...) {
						out = append(out, tr.at(spec, "%s reaches %s", root, importPath(spec)))
					}
				}
			}
		}
	}
	return out
}

// closure returns root and the packages of this module that it imports, directly or indirectly.
func (tr *tree) closure(root string) []string {
	reached := []string{root}
	for i := 0; i < len(reached); i++ {
		for _, s := range tr.production() {
			if s.dir != reached[i] {
				continue
			}
			for _, spec := range s.file.Imports {
				if to, ok := tr.within(importPath(spec)); ok && !slices.Contains(reached, to) {
					reached = append(reached, to)
				}
			}
		}
	}
	return reached
}

// The trusted base imports the standard library and itself.
func trustedBaseViolations(tr *tree) (out []string) {
	base := []string{"calibrate", "ledger", "mechanism", "mechanism/int128"}
	for _, s := range tr.production() {
		if generator(s.dir) || testSupport(s.dir) || !slices.Contains(base, owner(s.dir)) {
			continue
		}
		for _, spec := range s.file.Imports {
			p := importPath(spec)
			if _, ours := tr.within(p); !ours && !standard(p) {
				out = append(out, tr.at(spec, "the trusted base imports %s", p))
			}
		}
	}
	return out
}

// standard reports whether an import path belongs to the standard library: its first element has no dot.
func standard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

// The program does not import oracles, second readers and test tools.
func testLibraryViolations(tr *tree) (out []string) {
	libraries := []string{
		"gonum.org/v1/gonum", "github.com/xitongsys/parquet-go", "github.com/apache/arrow/go/v17/parquet",
		"pgregory.net/rapid", "github.com/google/go-cmp", "github.com/rogpeppe/go-internal",
	}
	for _, s := range tr.production() {
		for _, spec := range s.file.Imports {
			if p := importPath(spec); !testSupport(s.dir) && (below(p, libraries...) || p == "testing") {
				out = append(out, tr.at(spec, "%s is for tests", p))
			}
		}
	}
	return out
}

func randomViolations(tr *tree) (out []string) {
	for _, s := range tr.production() {
		for _, spec := range s.file.Imports {
			if below(importPath(spec), "math/rand") && !below(s.dir, "examples", "bench") && !strings.HasSuffix(s.dir, "test") {
				out = append(out, tr.at(spec, "%s outside tests and examples", importPath(spec)))
			}
		}
	}
	return out
}

// A replace or exclude directive would break `go install` of the command.
func goModViolations(tr *tree) (out []string) {
	for _, line := range strings.Split(tr.gomod, "\n") {
		if word := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '(' }); len(word) > 0 &&
			(word[0] == "replace" || word[0] == "exclude") {
			out = append(out, "go.mod: "+word[0]+" is not allowed")
		}
	}
	return out
}
