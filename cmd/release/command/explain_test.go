package command

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
)

func TestWordsKeysAndCodesAreFound(t *testing.T) {
	for _, c := range []struct{ word, kind, holds string }{
		{"mu", "word", "sensitivity / sigma"},
		{"Privacy unit", "word", "Whom the guarantee protects"},
		{"rehearsal", "word", "before the charge"},
		{"discover", "word", "privately"},
		{"standard deviation", "word", "size of the noise"},
		{"pre-threshold", "word", "min_units"},
		{"private partition selection", "word", "which keys exist"},
		{"What do epsilon and delta mean?", "word", "by the factor e^epsilon"},
		{"What do epsilon and delta mean?", "word", "may fail"},
		{"95 % intervals", "word", "in 95 of 100 releases"},
		{"unit", "word", "Whom the guarantee protects"},
		{"share of mu²", "word", "sensitivity / sigma"},
		{"output dir", "job key", "folder"},
		{"over-budget", "error code", "Nothing was spent"},
		{"max_rows", "job key", "The largest number of rows of one unit that count"},
		{"privacy.per_unit.max_rows", "job key", "The largest number of rows of one unit that count"},
		{"queries.histogram.by.every", "job key", "calendar"},
		{"james-stein", "denoising method", ""},
		{"queries.trips.weight", "job key", "budget"},
		{"queries[0].histogram.by[1].every", "job key", "calendar"},
		{"histogram.by.town.every", "job key", "calendar"},
		{`input.csv.types["fee"]`, "job key", "Types of columns"},
		{"input.tables.visits.files", "job key", "Paths or patterns"},
		{"params.day.every", "job key", ""},
		{"units.person.any", "job key", ""},
		{"neighbor", "word", "differ in the rows"},
		{"anonymisation", "word", "nobody can tell"},
		{"error", "word", "size of the noise"},
		{"clipping", "word", "is moved"},
		{"kill", "error code", "a charge continues"},
		{"resume", "word", "release"},
		{"docker", "page", "docs/howto/operate.md"},
		{"notebook", "page", "docs/howto/python.md"},
		{"pandas", "page", "docs/howto/python.md"},
		{"airflow", "page", "docs/howto/python.md"},
		{"small cells", "word", "left empty"},
		{"rounding", "denoising method", ""},
		{"sample size", "job key", "error"},
		{"encryption", "job key", "encrypted"},
		{"synthetic data", "job key", "marginals"},
	} {
		found, _, err := findExplanations(c.word)
		if err != nil {
			t.Fatal(err)
		}
		ok := false
		for _, e := range found {
			ok = ok || e.Kind == c.kind && strings.Contains(e.Text, c.holds) && e.Text != ""
		}
		if !ok {
			t.Errorf("%s: no %s with %q in %v", c.word, c.kind, c.holds, found)
		}
	}
}

// A key is found by its last parts, and not by the end of a word: rows is not max_rows.
func TestAKeyIsFoundByItsLastParts(t *testing.T) {
	for word, want := range map[string]bool{"rows": false, "per_unit.max_rows": true, "max rows": true, "unit max_rows": false} {
		found, _, err := findExplanations(word)
		got := slices.ContainsFunc(found, func(e explanation) bool {
			return strings.Contains(e.Name, "privacy.per_unit.max_rows")
		})
		if err != nil || got != want {
			t.Errorf("%s: max_rows is found: %t, %v", word, got, err)
		}
	}
}

// Only names that the user chooses may stand between the keys of a path.
func TestAPathWithoutSuchAKey(t *testing.T) {
	for _, path := range []string{"privacy.trips.epsilon2", "privacy.some.per_unit.max_rows", "queries.trips.histogram.max_rows_",
		"input.timezone.x"} {
		found, _, err := findExplanations(path)
		if err != nil || slices.ContainsFunc(found, func(e explanation) bool { return e.Kind == "job key" }) {
			t.Errorf("%s: found %v, %v", path, found, err)
		}
	}
}

func TestAMisspeltWordNamesWhatLooksAlike(t *testing.T) {
	found, similar, err := findExplanations("epsilom")
	if err != nil || len(found) > 0 || !strings.Contains(strings.Join(similar, " "), "epsilon") {
		t.Errorf("found %v, similar %v, %v", found, similar, err)
	}
}

// Words of other programs lead to the words of this one, and each of these has an explanation.
func TestOtherWordsLeadToOurs(t *testing.T) {
	for _, s := range synonyms {
		for ours := range strings.SplitSeq(s.ours, ", ") {
			found, _, err := findExplanations(ours, commands((&app{Console: console.New(nil, nil)}).root())...)
			if err != nil || len(found) == 0 {
				t.Errorf("%q, for %q, has no explanation: %v", ours, s.theirs, err)
			}
		}
	}
	for word, want := range map[string]string{
		"average": "mean", "Median": "quantiles", "percentages": "rates", "top 10": "discover", "outliers": "clamp",
		"privacy loss": "mu", "plot": "plot", "std": "standard deviation", "k-anonymity": "differential privacy",
		"75": "exit code",
	} {
		found, _, err := findExplanations(word, explanation{Kind: "command", Name: "plot", Text: "Draw."})
		if err != nil || !slices.ContainsFunc(found, func(e explanation) bool { return strings.Contains(e.Name, want) }) {
			t.Errorf("%s: no %s in %v, %v", word, want, found, err)
		}
	}
	for word, want := range map[string]string{"histogrm": "histogram", "quantilles": "quantiles", "upstreem": "upstream",
		"attribute": "", "voucher": ""} {
		found, similar, err := findExplanations(word)
		if err != nil || len(found) > 0 || want != "" && !slices.Contains(similar, want) {
			t.Errorf("%s: no %s in %v; found %v, %v", word, want, similar, found, err)
		}
	}
	for _, nothing := range []string{" ", "'", "-"} {
		if found, similar, err := findExplanations(nothing); err != nil || len(found)+len(similar) > 0 {
			t.Errorf("%q: found %v, similar %v, %v", nothing, found, similar, err)
		}
	}
}

// A phrase is explained by its longest words alone: not by "interval" if it has "confidence interval".
func TestAPhraseIsExplainedByItsLongestWords(t *testing.T) {
	found, _, err := findExplanations("how wide is a confidence interval of noise")
	var names []string
	for _, e := range found {
		names = append(names, e.Name)
	}
	if err != nil || !slices.Equal(names, []string{"confidence interval", "noise"}) {
		t.Errorf("found %q, %v", names, err)
	}
	if found, similar, err := findExplanations("lonely"); err != nil || len(found)+len(similar) > 0 {
		t.Errorf("the key on is not what lonely means: found %v, similar %v, %v", found, similar, err)
	}
}

// Every code that the program can print has a page. Codes are the constants named Code…, and the texts that Error
// values take as their Code.
func TestEveryCodeHasAPage(t *testing.T) {
	known := map[string]bool{}
	for _, name := range explainedNames() {
		known[name] = true
	}
	if len(known) < 100 {
		t.Errorf("only %d names have a page", len(known))
	}
	code := regexp.MustCompile(`^[a-z0-9-]+$`)
	codes := 0
	eachFile(t, "../../..", func(path string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			for _, text := range codesOf(n) {
				codes++
				if code.MatchString(text) && !known[text] {
					t.Errorf("%s: the code %q has no page in docs/reference/errors.md", path, text)
				}
			}
			return true
		})
	})
	if codes < 80 {
		t.Errorf("only %d codes were seen", codes)
	}
}

// codesOf returns the texts that a node gives to constants named Code… or to fields named Code.
func codesOf(n ast.Node) (texts []string) {
	add := func(name string, e ast.Expr) {
		lit, ok := e.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING || !strings.HasPrefix(name, "Code") {
			return
		}
		if text, err := strconv.Unquote(lit.Value); err == nil {
			texts = append(texts, text)
		}
	}
	switch n := n.(type) {
	case *ast.ValueSpec:
		for i, e := range n.Values {
			add(n.Names[i].Name, e)
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok {
			add(key.Name, n.Value)
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			if s, ok := left.(*ast.SelectorExpr); ok && i < len(n.Rhs) {
				add(s.Sel.Name, n.Rhs[i])
			}
		}
	}
	return texts
}

// eachFile parses the program's files below a folder: no tests, no examples.
func eachFile(t *testing.T, root string, visit func(path string, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		skipped := d != nil && d.IsDir() && path != root && (slices.Contains([]string{"testdata", "bench", "examples"},
			d.Name()) || strings.HasPrefix(d.Name(), "."))
		switch {
		case err != nil:
			return err
		case skipped:
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, 0)
		if err == nil {
			visit(path, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
