package command

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/docs"
	"github.com/dprelease/dprelease/internal/spelling"
)

// The verb explain finds its texts in docs/reference/errors.md, docs/reference/glossary.md, the job's JSON Schema and
// the registry of denoising methods. All of them are compiled into the program.

func (a *app) explainCmd() *cobra.Command {
	return &cobra.Command{
		Use: "explain CODE|KEY|WORD", Short: "Explain an error code, a key of the job file, a denoising method or a word",
		Long: `explain prints what an error code means and what to do, what a key of the job file says, what a denoising method does, or what a word of the field
means. A key may be given by its path or by its last part; in a phrase each word of the field is explained. It reads no file.`,
		Example:           "  release explain over-budget\n  release explain max_rows\n  release explain privacy unit",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: onlyFirst(words(explainedNames()...)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.explain(strings.Join(args, " "), commands(cmd.Root()))
		},
	}
}

// commands returns an explanation of each command below root.
func commands(root *cobra.Command) (out []explanation) {
	for _, c := range root.Commands() {
		if !c.Hidden {
			out = append(append(out, explanation{Kind: "command", Name: c.Name(), Text: fmt.Sprintf("%s. See %s --help.",
				c.Short, c.CommandPath())}), commands(c)...)
		}
	}
	return out
}

// explain prints the explanations of a word. verbs are explanations in addition to those on the program's pages.
func (a *app) explain(word string, verbs []explanation) error {
	found, similar, err := findExplanations(word, verbs...)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		if len(similar) == 0 {
			return console.Usagef("%s is unknown; release explain takes an error code, a key of the job file, a "+
				"denoising method, a command or a word of the glossary", quotedWord(word))
		}
		return console.Usagef("%s is unknown; try %s", quotedWord(word), strings.Join(similar, ", "))
	}
	var texts []string
	for _, e := range found {
		texts = append(texts, fmt.Sprintf("%s (%s)\n  %s\n", e.Name, e.Kind, strings.ReplaceAll(e.Text, "\n", "\n  ")))
	}
	return a.Print(strings.Join(texts, "\n"))
}

// explanation is the text about one word.
type explanation struct {
	// Kind is "error code", "job key", "denoising method", "command", "page" or "word".
	Kind string
	Name string
	Text string
	// named is set for a key whose value is a list, or a mapping whose keys the user chooses.
	named bool
}

// freeName stands in the path of a key for a key that the user chooses.
const freeName = "NAME"

// findExplanations returns the explanations whose name equals word, or equals the word of this program with the same
// meaning. If there are none and word is a phrase, it returns the glossary's explanations of the words in it. If
// nothing is found, it returns at most 8 names that are similar or whose explanations have the word. A job key can be
// given by its path (privacy.per_unit.max_rows) or by the last part of the path.
func findExplanations(word string, more ...explanation) (found []explanation, similar []string, err error) {
	all, err := explanations()
	if err != nil {
		return nil, nil, err
	}
	all = append(all, more...)
	wanted := normal(word)
	if wanted == "" {
		return nil, nil, nil
	}
	if found = withName(all, wanted); len(found) == 0 {
		found = withPath(all, word)
	}
	for i := 0; i < len(synonyms) && len(found) == 0; i++ {
		if slices.ContainsFunc(strings.Split(synonyms[i].theirs, ", "), func(s string) bool {
			return singular(normal(s)) == singular(wanted)
		}) {
			for ours := range strings.SplitSeq(synonyms[i].ours, ", ") {
				found = append(found, withName(all, normal(ours))...)
			}
		}
	}
	if len(found) == 0 {
		found = mentioned(all, wanted)
	}
	for i, e := range slices.Backward(found) {
		if strings.HasPrefix(e.Text, "See ") {
			found = slices.Replace(found, i, i+1, mentioned(all, normal(e.Text))...)
		}
	}
	if len(found) > 0 {
		return merged(found), nil, nil
	}
	if len(wanted) < 3 {
		return nil, nil, nil // such a short word is a part of many names
	}
	for _, e := range all {
		name := e.Name[strings.LastIndexByte(e.Name, '.')+1:]
		if (strings.Contains(normal(name), wanted) || mentions(wanted, normal(name)) || near(normal(name), wanted)) &&
			!slices.Contains(similar, name) {
			similar = append(similar, name)
		}
	}
	for _, e := range all {
		name := e.Name[strings.LastIndexByte(e.Name, '.')+1:]
		if len(similar) < 8 && mentions(normal(e.Text), wanted) && !slices.Contains(similar, name) {
			similar = append(similar, name)
		}
	}
	slices.Sort(similar)
	return nil, similar[:min(len(similar), 8)], nil
}

// withName returns the explanations that have the given name.
func withName(all []explanation, wanted string) (found []explanation) {
	for _, e := range all {
		if name := normal(e.Name); name == wanted || e.Kind == "word" && singular(name) == singular(wanted) ||
			e.Kind == "job key" && endsWith(e.Name, wanted) {
			found = append(found, e)
		}
	}
	return found
}

// withPath returns the keys at a path in which names of the user stand, such as queries.trips.weight and
// input.csv.types["fee"]: items of lists, and keys that the user chooses.
func withPath(all []explanation, path string) (found []explanation) {
	steps := strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(`.[]"'`, r) })
	for _, e := range all {
		for at := strings.Split(e.Name, "."); e.Kind == "job key" && len(at) > 0 && len(steps) > 1; at = at[1:] {
			if e.isAt(at, steps) {
				found = append(found, e)
				break
			}
		}
	}
	return found
}

// isAt reports whether a reader who follows steps along the path at arrives at the key that e explains.
func (e *explanation) isAt(at, steps []string) bool {
	if len(at) == 0 {
		return len(steps) == 0 || len(steps) == 1 && e.named
	}
	key, list := strings.CutSuffix(at[0], "[]")
	if len(steps) == 0 || key != freeName && normal(key) != normal(steps[0]) {
		return false
	}
	return e.isAt(at[1:], steps[1:]) || list && len(steps) > 1 && e.isAt(at[1:], steps[2:])
}

// synonyms maps words that readers may type to names of explanations: words of other fields and programs, and words for
// what a reader looks for.
var synonyms = []struct{ theirs, ours string }{
	{"average, avg", "mean"},
	{"median, quantile, quartile, percentile, decile", "quantiles"},
	{"percent, percentage, proportion, ratio, rate, fraction", "rates"},
	{"std, stddev, sd, deviation, standard error, error, error size", "standard deviation"},
	{"top, top 10, top n, top k, ranking, most frequent, mode, group keys, new values", "discover, partition selection"},
	{"outlier, extreme value, trim, truncate, truncation, winsorize, clip, clipping, cap, min, max, minimum, maximum, " +
		"range", "clamp, contribution bound"},
	{"privacy loss, composition, rho, zcdp, gdp, renyi, rdp, attacker, attack, membership inference", "mu"},
	{"error bar, margin of error, ci, uncertainty", "confidence interval"},
	{"missing value, na, n/a, nan, blank, empty", "null_values, null"},
	{"group by, groupby, group", "by, cell"},
	{"bucket, bin, category, class", "cell"},
	{"join", "lookups, tables"},
	{"person, people, individual, user, customer, patient, member, household, record, entity, row", "privacy unit"},
	{"anonymous, anonymity, anonymize, anonymization, pseudonym, k-anonymity, gdpr, hipaa, " +
		"pii, personal data, local dp, confidentiality, privacy, reidentification", "differential privacy"},
	{"laplace, gaussian, gauss, geometric, normal distribution, randomness, seed", "mechanism"},
	{"bias, unbiased", "noisy, estimate"},
	{"rerun, repeat, retry, resume, restart, cache, reproducible, idempotent, deterministic", "release, fingerprint"},
	{"stop, kill, abort, cancel, interrupt, signal, sigterm", "stopped"},
	{"refund, reset, spent, spending", "budget"},
	{"exit status, return code, status code, error number, 3, 4, 5, 6, 70, 75, 129, 130, 134, 143, sighup", "exit code"},
	{"lock, locked, timeout, in use, concurrent", "busy"},
	{"memory, ram, oom, out of memory", "memory_limit"},
	{"disk, space, disk space, quota", "disk-full"},
	{"sign, signature, signing, minisign, password", "keygen, key"},
	{"retract, recall, revoke, mistake", "withdraw"},
	{"delete, remove, retention, clean up, old releases", "prune"},
	{"restore, copy", "backup"},
	{"chart, figure, picture, png, svg, heat map, heatmap", "plot"},
	{"excel, xlsx, parquet, arrow, json, spreadsheet", "format"},
	{"date, day, month, week, year, window, schedule, cron, nightly", "data interval, backfill"},
	{"pandas, polars, notebook, jupyter, dataframe, airflow", "python"},
	{"container, kubernetes, image", "docker"},
	{"utf-8, utf8, bom, latin-1, umlaut", "encoding"},
	{"comma, tab, separator, semicolon", "delimiter"},
	{"postgres, postgresql, sqlite", "store, sql"},
	{"database, duckdb, spark, trino", "sql"},
	{"sample, sampling", "contribution bound"},
	{"synthetic, synthetic data", "preview, crosstabs"},
	{"rounding, rounded", "round, round_to"},
	{"sample size, number of rows", "accuracy, rows"},
	{"encryption, encrypt, encrypted", "aggregate, memory_limit"},
	{"hierarchy, hierarchical", "levels"},
	{"contingency table, pivot, cross tabulation", "crosstabs"},
	{"suppression, suppress, small count, small cell, small number, swapping, threshold", "withheld, pre-threshold"},
	{"precision, utility", "accuracy"},
}

// pages explain words that have a page of their own.
var pages = []explanation{
	{Kind: "page", Name: "docker", Text: "The program runs in a container: docs/howto/operate.md."},
	{Kind: "page", Name: "python", Text: "From Python, in notebooks and in Airflow: docs/howto/python.md."},
}

// quotedWord returns a word in quotes for a message, shortened.
func quotedWord(word string) string {
	if runes := []rune(word); len(runes) > 60 {
		word = string(runes[:60]) + "…"
	}
	return fmt.Sprintf("%q", word)
}

// endsWith reports whether the path of a key equals wanted, or ends with it after a dot: rows does not match max_rows.
func endsWith(path, wanted string) bool {
	path = strings.ReplaceAll(path, "[]", "")
	for more := true; more; _, path, more = strings.Cut(path, ".") {
		if normal(path) == strings.ReplaceAll(wanted, "[]", "") {
			return true
		}
	}
	return false
}

// mentioned returns the glossary's explanations whose names occur in a phrase, in the phrase's order. It leaves out a
// name within a longer one: "unit" if the phrase has "privacy unit".
func mentioned(all []explanation, phrase string) (found []explanation) {
	rest := plain(phrase)
	words := slices.DeleteFunc(slices.Clone(all), func(e explanation) bool {
		return e.Kind != "word" || !mentions(rest, normal(e.Name))
	})
	slices.SortStableFunc(words, func(a, b explanation) int { return len(b.Name) - len(a.Name) })
	for _, e := range words {
		if mentions(rest, normal(e.Name)) {
			rest = strings.ReplaceAll(rest, plain(normal(e.Name)), " \x00 ")
			found = append(found, e)
		}
	}
	at := func(e explanation) int { return strings.Index(plain(phrase), plain(normal(e.Name))) }
	slices.SortStableFunc(found, func(a, b explanation) int { return at(a) - at(b) })
	return found
}

// mentions reports whether the words of name occur in a phrase, one after the other.
func mentions(phrase, name string) bool { return strings.Contains(plain(phrase), plain(name)) }

// plain returns a text with each word in the singular, and a space at both ends.
func plain(text string) string {
	words := strings.Fields(text)
	for i := range words {
		words[i] = singular(words[i])
	}
	return " " + strings.Join(words, " ") + " "
}

// explainedNames lists every word that has an explanation, each once, for completion.
func explainedNames() []string {
	all, err := explanations()
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range all {
		names = append(names, e.Name[strings.LastIndexByte(e.Name, '.')+1:])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// normal returns a text by which spellings are compared: it is the same for privacy-unit, "privacy unit" and
// Privacy_Unit, for mu² and mu, and for British and American words.
func normal(s string) string {
	return strings.Join(strings.FieldsFunc(american.Replace(strings.ToLower(s)), func(r rune) bool {
		return strings.ContainsRune(" -_?!.,:;\"'", r)
	}), " ")
}

// american replaces British spellings, also in words that are spelt alike everywhere, and removes the square of mu².
var american = strings.NewReplacer("²", "", "ise", "ize", "isi", "izi", "isa", "iza", "yse", "yze", "our", "or",
	"centre",
	"center")

// singular returns "margin" for "margins": it cuts off an s at the end.
func singular(s string) string { return strings.TrimSuffix(s, "s") }

// near reports whether two words differ by one typing error: a letter added, left out or changed, or two letters
// swapped; long words may have two.
func near(a, b string) bool {
	n := max(len(a), len(b))
	return n >= 4 && spelling.Distance(a, b) <= 1+n/8
}

// merged joins explanations of the same kind and text, such as a key of sums and the same key of means. The result
// lists all their names.
func merged(found []explanation) (out []explanation) {
	for _, e := range found {
		if i := slices.IndexFunc(out, func(o explanation) bool { return o.Kind == e.Kind && o.Text == e.Text }); i >= 0 {
			if !strings.Contains(out[i].Name, e.Name) {
				out[i].Name += ", " + e.Name
			}
			continue
		}
		out = append(out, e)
	}
	return out
}

func explanations() ([]explanation, error) {
	all := sections(docs.Glossary, "## ", "word")
	all = append(all, sections(docs.Errors, "### ", "error code")...)
	all = append(all, pages...)
	for _, m := range denoise.Methods() {
		all = append(all, explanation{Kind: "denoising method", Name: m.Name, Text: m.Doc})
	}
	_, codes, _ := strings.Cut(rootLong, "Exit codes:\n  ")
	all = append(all, explanation{Kind: "word", Name: "exit code", Text: strings.ReplaceAll(codes, "\n  ", "\n")})
	keys, err := jobKeys()
	return append(all, keys...), err
}

// link matches a Markdown link. Only its text is shown.
var link = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)

// sections splits a page at its headings. Each section becomes an explanation.
func sections(page, heading, kind string) (out []explanation) {
	_, rest, _ := strings.Cut(page, "\n"+heading)
	for _, section := range strings.Split(rest, "\n"+heading) {
		name, text, _ := strings.Cut(section, "\n")
		if i := strings.Index(text, "\n## "); i >= 0 {
			text = text[:i]
		}
		out = append(out, explanation{Kind: kind, Name: strings.TrimSpace(name),
			Text: link.ReplaceAllString(strings.TrimSpace(text), "$1")})
	}
	return out
}

// object is a node of the job's JSON Schema: the schema of a mapping or of a value.
type object struct {
	Ref         string            `json:"$ref"`
	Description string            `json:"description"`
	Properties  map[string]object `json:"properties"`
	Items       *object           `json:"items"`
	OneOf       []object          `json:"oneOf"`
	AnyOf       []object          `json:"anyOf"`
	Enum        []any             `json:"enum"`
	Default     any               `json:"default"`
	Examples    []any             `json:"examples"`
	Required    []string          `json:"required"`
	Defs        map[string]object `json:"$defs"`
	// More is the schema of keys that the user chooses, or false.
	More json.RawMessage `json:"additionalProperties"`
}

// free returns the schema of the values whose keys the user chooses; nil if there are none.
func (o *object) free() *object {
	free := new(object)
	if json.Unmarshal(o.More, free) != nil {
		return nil
	}
	return free
}

// named reports whether o allows a list, or a mapping whose keys the user chooses.
func (o *object) named() bool {
	return o.Items != nil || o.free() != nil ||
		slices.ContainsFunc(slices.Concat(o.OneOf, o.AnyOf), func(choice object) bool { return choice.named() })
}

// jobKeys reads all keys of the job file from its JSON Schema.
func jobKeys() ([]explanation, error) {
	var root object
	if err := json.Unmarshal(configs.Schema(), &root); err != nil {
		return nil, fmt.Errorf("the schema cannot be read: %w", err)
	}
	var out []explanation
	collect(&root, &root, "", &out)
	return out, nil
}

func collect(root, o *object, path string, out *[]explanation) {
	for _, name := range slices.Sorted(maps.Keys(o.Properties)) {
		p := o.Properties[name]
		at := strings.TrimPrefix(path+"."+name, ".")
		*out = append(*out, explanation{"job key", at, keyText(&p, slices.Contains(o.Required, name)), p.named()})
		descend(root, &p, at, out)
	}
}

// descend appends an explanation of each key that the schema o allows, at any depth, to out. at is the path of o.
func descend(root, o *object, at string, out *[]explanation) {
	if def, known := root.Defs[strings.TrimPrefix(o.Ref, "#/$defs/")]; known {
		descend(root, &def, at, out)
	}
	if o.Items != nil {
		descend(root, o.Items, at+"[]", out)
	}
	if free := o.free(); free != nil {
		descend(root, free, at+"."+freeName, out)
	}
	for _, choice := range append(slices.Clone(o.OneOf), o.AnyOf...) {
		descend(root, &choice, at, out)
	}
	collect(root, o, at, out)
}

// keyText returns the description of a key, its values, its default and an example.
func keyText(o *object, required bool) string {
	lines := []string{o.Description}
	if len(o.Enum) > 0 {
		lines = append(lines, "Values: "+joined(o.Enum)+".")
	}
	switch {
	case required:
		lines = append(lines, "Required.")
	case o.Default != nil:
		lines = append(lines, "Default: "+joined([]any{o.Default})+".")
	}
	if len(o.Examples) > 0 {
		lines = append(lines, "Example: "+joined(o.Examples[:1]))
	}
	return strings.Join(lines, "\n")
}

func joined(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		b, err := json.Marshal(v)
		if err != nil {
			b = []byte("?")
		}
		texts[i] = strings.Trim(string(b), `"`)
	}
	return strings.Join(texts, ", ")
}
