package verify

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/clampsearch"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// job checks the manifest's statements: it makes the plan of the manifest's job again, and compares the statements that
// follow from the plan, such as sigma, with the manifest.
func (v *verifying) job(ctx context.Context) error {
	if !v.readable {
		v.add("job", skipped, "the manifest cannot be read")
		return nil
	}
	made, own := v.manifest.Program, v.program()
	if made.Version != own.Version || made.Commit != own.Commit {
		v.add("job", skipped, "another build of the program (%s) made the release: it may word the same facts differently",
			made.Version)
		return nil
	}
	public := ""
	want, err := restate(&v.manifest, filepath.Dir(v.flags.job),
		func(path, column string, aligned bool) ([]string, error) {
			public = console.Here(path)
			if v.flags.job == "" {
				return nil, fmt.Errorf("the job reads the public file %s, which is not in the release: --job reads it", public)
			}
			if elsewhere(path, v.flags.job) && !mentions(v.flags.job, path) {
				return nil, fmt.Errorf("the job in the manifest reads %s, which the job at --job does not name", public)
			}
			return source.ReadColumn(ctx, path, column, aligned)
		})
	if err != nil {
		v.add("job", skipped, "%v", err)
		return nil
	}
	found, compared, err := differences(&v.manifest, want)
	if err != nil {
		return err
	}
	if public != "" && len(found) > 0 { // a public file may have changed since the run
		v.add("job", skipped, "%s does not follow from the job in the manifest and the public file %s of today",
			found[0], public)
		return nil
	}
	for _, at := range found {
		v.add("job", failed, "%s does not follow from the job in the manifest", at)
	}
	if len(found) == 0 {
		v.add("job", passed, "%s follow from the job in the manifest", spelling.Count(compared, "statement"))
	}
	return nil
}

// maxJobBytes is the maximum length of a job file, in bytes.
const maxJobBytes = 16 << 20

// elsewhere reports whether a path may be on another machine than the job: it is a URL or, on Windows, on another
// volume.
func elsewhere(path, job string) bool {
	return store.IsAddress(path) || filepath.VolumeName(path) != filepath.VolumeName(job)
}

// mentions reports whether the job file at job contains path. Without this check, a manifest could make verify connect
// to any server.
func mentions(job, path string) bool {
	text, err := regular.ReadFile(job, maxJobBytes)
	return err == nil && bytes.Contains(text, []byte(path))
}

// restate returns the manifest that the job in m would have now. It takes from m the choices that the run made from
// noisy values. dir is the folder of the job, and read reads the job's public files. It fails if the plan cannot be
// made.
func restate(m *manifest.Manifest, dir string, read pipeline.ReadColumn) (*manifest.Manifest, error) {
	job, err := parseJob(m, dir)
	if err != nil {
		return nil, err
	}
	var unread error
	plan, diags := pipeline.New(job, func(path, column string, aligned bool) (values []string, err error) {
		values, err = read(path, column, aligned)
		unread = cmp.Or(unread, err)
		return values, err
	})
	switch {
	case unread != nil:
		return nil, unread
	case len(diags) > 0:
		return nil, errors.New("the job in the manifest gives no plan: " + diags[0].Message)
	case len(plan.Queries()) != len(m.Queries):
		return nil, fmt.Errorf("the job in the manifest has %s", spelling.Count(len(plan.Queries()), "query"))
	}
	chosen := plan.NewRun()
	for i, q := range plan.Queries() {
		if found, ok := clampsearch.ResultOf(&m.Queries[i]); q.Search != nil && ok {
			if err := chosen.TakeSearchResult(i, found); err != nil {
				return nil, err
			}
		}
	}
	want := chosen.Manifest(m.Program)
	for i := range want.Queries {
		if q := &want.Queries[i]; q.Discovered() {
			q.Cells = m.Queries[i].Cells // only the tables show the number of keys
		}
	}
	return &want, nil
}

// parseJob parses the job in a manifest. dir is the folder of the job.
func parseJob(m *manifest.Manifest, dir string) (*configs.Job, error) {
	text, err := withStore(m.Job)
	if err != nil {
		return nil, errors.New("the job in the manifest cannot be read")
	}
	job, diags := configs.Parse(filepath.Join(dir, manifest.FileName), text, configs.ParseOptions{
		Params: m.Params, Effective: true, CheckStep: pipeline.CheckStep,
		Env: func(string) (string, bool) { return "0", true }, // no statement shows the value
	})
	if len(diags) > 0 {
		return nil, errors.New("the job in the manifest cannot be read: " + diags[0].Message)
	}
	return job, nil
}

// withStore adds a ledger to the job of a manifest, since a release does not show where its ledger is. It also writes
// labels with members as a job file does.
func withStore(job []byte) ([]byte, error) {
	var tree map[string]any
	d := json.NewDecoder(bytes.NewReader(job))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return nil, err
	}
	ledger, ok := tree["ledger"].(map[string]any)
	if !ok {
		return nil, errors.New("no ledger")
	}
	ledger["store"] = "sqlite:ledger.db"
	text, err := json.Marshal(asMappings(tree))
	return escapeUnprintable(text), err
}

// escapeUnprintable escapes characters that JSON allows but YAML does not, such as DEL and U+FEFF.
func escapeUnprintable(text []byte) []byte {
	var b []byte
	for _, r := range string(text) {
		if !unicode.IsPrint(r) && r <= 0xffff {
			b = fmt.Appendf(b, `\u%04x`, r)
		} else {
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

// asMappings replaces each list of labels with members, as manifests have it, by a mapping in the same order, as job
// files have it.
func asMappings(node any) any {
	switch node := node.(type) {
	case map[string]any:
		for key, value := range node {
			if mapping, ok := mappingOf(value); ok && key == "values" {
				node[key] = mapping
			} else {
				node[key] = asMappings(value)
			}
		}
	case []any:
		for i := range node {
			node[i] = asMappings(node[i])
		}
	}
	return node
}

// mappingOf converts a list of labels with members to a mapping. It returns false if value is something else.
func mappingOf(value any) (json.RawMessage, bool) {
	list, ok := value.([]any)
	if !ok || len(list) == 0 {
		return nil, false
	}
	var entries []string
	for _, item := range list {
		of, _ := item.(map[string]any)
		label, err := json.Marshal(of["label"])
		members, err2 := json.Marshal(of["members"])
		if of["label"] == nil || err != nil || err2 != nil {
			return nil, false
		}
		entries = append(entries, string(label)+":"+string(members))
	}
	return json.RawMessage("{" + strings.Join(entries, ",") + "}"), true
}

// differences returns the paths of the statements in m that differ from want, and the number of statements that were
// compared. It does not compare statements about the run, its noisy values and its files.
func differences(m, want *manifest.Manifest) (found []string, compared int, err error) {
	trees := [2]any{}
	for i, of := range []manifest.Manifest{*m, *want} {
		of.Format, of.Synthetic, of.MadeFrom, of.Ledger, of.Signature, of.Documents, of.Job = "", "", "", nil, nil, nil, nil
		of.Privacy.Scope = manifest.Scope{}
		if of.Privacy.ReleaseType == "Many releases" && of.Privacy.DataSource == "Dynamic" && len(m.Params) > 0 {
			// These depend on whether a parameter is a date, which the job in the manifest does not tell.
			of.Privacy.ReleaseType, of.Privacy.DataSource = want.Privacy.ReleaseType, want.Privacy.DataSource
		}
		of.Queries = slices.Clone(of.Queries)
		for k := range of.Queries {
			q := &of.Queries[k]
			q.Notes, q.Expected, q.Files = nil, nil, nil
			if q.Publish != nil {
				rule := *q.Publish
				rule.Withheld, rule.Complementary = 0, 0
				q.Publish = &rule
			}
		}
		text, err := json.Marshal(of)
		if err == nil {
			err = json.Unmarshal(text, &trees[i])
		}
		if err != nil {
			return nil, 0, err
		}
	}
	c := comparison{}
	c.compare("", trees[0], trees[1])
	return c.found, c.compared, nil
}

// comparison compares two JSON trees.
type comparison struct {
	found    []string
	compared int
}

func (c *comparison) compare(at string, stated, follows any) {
	switch s := stated.(type) {
	case map[string]any:
		if f, ok := follows.(map[string]any); ok {
			all := maps.Clone(s)
			maps.Copy(all, f)
			for _, key := range slices.Sorted(maps.Keys(all)) {
				c.compare(strings.TrimPrefix(at+"."+key, "."), s[key], f[key])
			}
			return
		}
	case []any:
		if f, ok := follows.([]any); ok && len(f) == len(s) {
			for i := range s {
				c.compare(fmt.Sprintf("%s[%d]", at, i), s[i], f[i])
			}
			return
		}
	case float64:
		if f, ok := follows.(float64); ok && near(s, f) {
			follows = stated
		}
	}
	if c.compared++; !reflect.DeepEqual(stated, follows) {
		c.found = append(c.found, at)
	}
}

// near reports whether two numbers are equal except for rounding on different machines.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }
