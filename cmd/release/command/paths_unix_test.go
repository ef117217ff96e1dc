//go:build unix

package command

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/owntest"
)

// Whatever is at a path that the user names, the program ends by itself, with an exit code of its own and with a
// message if it fails. The flags and arguments come from the commands themselves: a new one must be listed here as a
// path or not.

// notPaths are the flags whose values are not file names.
var notPaths = strings.Fields(`adjacency budget-delta budget-epsilon by data-checks dataset delta delta-cap dialect
	epsilon from ask max-half-width minus rows log max-spend mechanism memory-limit method mu name older-than param partition per query reason renyi
	rho risk-column sensitivity set shape shard sigma sum of mean table to type unit value weights`)

// pathLines are command lines that are complete except for one path, PATH. PATH.csv and PATH.svg lead to the same. They
// start in a folder with the quickstart
// (q/job.yaml), a release of it (q/out), a key (key), its ledger and a part (a.part) under the key run.key.
var pathLines = map[string]string{
	"aggregate/key":                 "aggregate q/job.yaml --key PATH --shard 1/1 --out b.part",
	"aggregate/new-key":             "aggregate q/job.yaml --new-key PATH",
	"aggregate/out":                 "aggregate q/job.yaml --key run.key --shard 1/1 --out PATH",
	"aggregate/tmp-dir":             "aggregate q/job.yaml --key run.key --shard 1/1 --out b.part --tmp-dir PATH",
	"aggregate/JOB":                 "aggregate PATH --key run.key --shard 1/1 --out b.part",
	"backfill/JOB":                  "backfill PATH --from 2024-01-01",
	"backfill/anchor":               "backfill dated.yaml --from 2024-01-01 --to 2024-01-01 --anchor PATH",
	"backfill/metrics":              "backfill dated.yaml --from 2024-01-01 --to 2024-01-01 --metrics PATH",
	"backfill/sign":                 "backfill dated.yaml --from 2024-01-01 --to 2024-01-01 --sign PATH",
	"backfill/tmp-dir":              "backfill dated.yaml --from 2024-01-01 --to 2024-01-01 --tmp-dir PATH",
	"check/JOB":                     "check --data PATH",
	"check/tmp-dir":                 "check --data q/job.yaml --tmp-dir PATH",
	"check/metrics":                 "check --data q/job.yaml --metrics PATH",
	"columns/FILE":                  "columns PATH",
	"changes/EARLIER":               "changes PATH q/out --table trips_by_day",
	"combine/DIR…":                  "combine PATH --sum trips_by_day",
	"denoise/edges":                 "denoise --input q/out --method nonnegative --out d.csv --edges PATH",
	"denoise/input":                 "denoise --input PATH --method nonnegative --out d.csv",
	"denoise/out":                   "denoise --input q/out --query trips_by_day --method nonnegative --out PATH",
	"denoise/risk":                  "denoise --input q/out --query trips_by_day --method nonnegative --out d.csv --risk PATH",
	"index/DIR":                     "index PATH",
	"index/store":                   "index q --store sqlite:PATH",
	"profile/FILE…":                 "profile PATH --unit row --epsilon 1 --delta 1e-6",
	"profile/job":                   "profile q/trips.parquet --unit row --epsilon 1 --delta 1e-6 --job PATH",
	"profile/out":                   "profile q/trips.parquet --unit row --epsilon 1 --delta 1e-6 --out PATH --job i3.yaml",
	"profile/ledger":                "profile q/trips.parquet --unit row --epsilon 1 --delta 1e-6 --ledger sqlite:PATH --job i4.yaml",
	"init/FILE…":                    "init PATH --unit row --epsilon 1 --delta 1e-6",
	"init/job":                      "init q/trips.parquet --unit row --epsilon 1 --delta 1e-6 --job PATH",
	"init/out":                      "init q/trips.parquet --unit row --epsilon 1 --delta 1e-6 --out PATH --job i2.yaml",
	"init/ledger":                   "init q/trips.parquet --unit row --epsilon 1 --delta 1e-6 --ledger sqlite:PATH --job i.yaml",
	"keygen/FILE":                   "keygen PATH",
	"ledger audit/JOB|--store":      "ledger audit PATH",
	"ledger audit/metrics":          "ledger audit q/job.yaml --metrics PATH",
	"ledger audit/store":            "ledger audit --store sqlite:PATH",
	"ledger backup/FROM":            "ledger backup sqlite:PATH b.db",
	"ledger backup/FROM2":           "ledger backup q/job.yaml PATH",
	"ledger backup/metrics":         "ledger backup q/job.yaml b.db --metrics PATH",
	"ledger budget set/JOB|--store": "ledger budget set PATH --epsilon 1",
	"ledger budget set/store":       "ledger budget set --store sqlite:PATH --dataset d --epsilon 1",
	"ledger budget/JOB|--store":     "ledger budget PATH",
	"ledger budget/store":           "ledger budget --store sqlite:PATH",
	"ledger copy/FROM":              "ledger copy sqlite:PATH sqlite:copied.db",
	"ledger copy/FROM2":             "ledger copy sqlite:none.db sqlite:PATH",
	"ledger copy/metrics":           "ledger copy sqlite:none.db sqlite:none2.db --metrics PATH",
	"ledger export/JOB|--store":     "ledger export PATH",
	"ledger export/store":           "ledger export --store sqlite:PATH",
	"ledger show/JOB|--store":       "ledger show PATH",
	"ledger show/store":             "ledger show --store sqlite:PATH",
	"man/DIR":                       "man PATH",
	"merge/JOB":                     "merge PATH a.part --key run.key",
	"merge/JOB2":                    "merge q/job.yaml PATH --key run.key",
	"merge/anchor":                  "merge q/job.yaml a.part --key run.key --anchor PATH",
	"merge/key":                     "merge q/job.yaml a.part --key PATH",
	"merge/metrics":                 "merge q/job.yaml a.part --key run.key --metrics PATH",
	"merge/out":                     "merge q/job.yaml a.part --key run.key --out PATH",
	"merge/sign":                    "merge q/job.yaml a.part --key run.key --sign PATH",
	"merge/to":                      "merge q/job.yaml a.part --key run.key --partition 1/1 --to PATH",
	"merge/tmp-dir":                 "merge q/job.yaml a.part --key run.key --tmp-dir PATH",
	"plan/JOB":                      "plan PATH",
	"plan/out":                      "plan q/job.yaml --out PATH",
	"plan/picture":                  "plan q/job.yaml --picture PATH.svg",
	"plan/tmp-dir":                  "plan q/job.yaml --tmp-dir PATH",
	"plot/DIR":                      "plot PATH",
	"plot/job":                      "plot q/out --out p.svg --job PATH",
	"report/job":                    "report q/out --out r --job PATH",
	"preview/tmp-dir":               "preview q/job.yaml --tmp-dir PATH",
	"plot/out":                      "plot q/out --query trips_by_hour --out PATH.svg",
	"preview/JOB":                   "preview PATH",
	"preview/out":                   "preview q/job.yaml --out PATH",
	"prune/JOB|--store":             "prune PATH --withdrawn",
	"prune/metrics":                 "prune q/job.yaml --withdrawn --metrics PATH",
	"prune/store":                   "prune --store sqlite:PATH --withdrawn",
	"publish/DIR":                   "publish PATH published",
	"publish/DIR2":                  "publish q/out PATH",
	"publish/metrics":               "publish q/out published --metrics PATH",
	"registry/DIR":                  "registry PATH",
	"registry/store":                "registry q/out --store sqlite:PATH",
	"report/DIR":                    "report PATH",
	"report/out":                    "report q/out --out PATH",
	"run/JOB":                       "run PATH",
	"run/anchor":                    "run q/job.yaml --anchor PATH",
	"run/metrics":                   "run q/job.yaml --metrics PATH",
	"run/out":                       "run q/job.yaml --out PATH",
	"run/sign":                      "run q/job.yaml --sign PATH",
	"run/tmp-dir":                   "run q/job.yaml --tmp-dir PATH",
	"sql/JOB":                       "sql PATH",
	"status/JOB":                    "status PATH --from 2024-01-01",
	"status/metrics":                "status dated.yaml --from 2024-01-01 --metrics PATH",
	"suggest/JOB":                   "suggest PATH",
	"verify/DIR":                    "verify PATH",
	"verify/job":                    "verify q/out --job PATH",
	"verify/key":                    "verify q/out --key PATH",
	"verify/store":                  "verify q/out --store sqlite:PATH",
	"withdraw/JOB|DIR":              "withdraw PATH --reason x",
	"withdraw/job":                  "withdraw q/copy --reason x --job PATH",
	"withdraw/metrics":              "withdraw q/none --reason x --metrics PATH",
	"withdraw/out":                  "withdraw q/none.yaml --reason x --out PATH",
	"withdraw/store":                "withdraw q/copy --reason x --store sqlite:PATH",
}

// pathsOf lists the flags and the first arguments of a command and its subcommands that are not in notPaths.
func pathsOf(cmd *cobra.Command) (out []string) {
	name := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if kind := f.Value.Type(); kind != "bool" && kind != "int" && !slices.Contains(notPaths, f.Name) {
			out = append(out, name+"/"+f.Name)
		}
	})
	if _, arguments, some := strings.Cut(cmd.Use, " "); some && !cmd.HasSubCommands() || strings.Contains(cmd.Use, "JOB") {
		if first := strings.TrimSuffix(strings.Fields(arguments)[0], "..."); !strings.HasPrefix(first, "-") &&
			!slices.Contains([]string{"WORD", "WORD…", "[WORD]", "[WORD…]", "KEY", "CODE|KEY|WORD"}, first) {
			out = append(out, name+"/"+first)
		}
	}
	for _, sub := range cmd.Commands() {
		out = append(out, pathsOf(sub)...)
	}
	return out
}

func TestEveryPathIsTried(t *testing.T) {
	a := &app{Console: console.New(&bytes.Buffer{}, &bytes.Buffer{})}
	var missing []string
	for _, name := range pathsOf(a.root()) {
		if pathLines[name] == "" && !strings.HasPrefix(name, "calibrate") && !strings.HasPrefix(name, "selftest") {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		t.Errorf("say in pathLines how a path is given to these, or in notPaths that they take none: %q", missing)
	}
}

// jobPaths are lines of a job that name a path.
var jobPaths = map[string]string{
	"input.files":  "input: {files: [PATH], format: csv}",
	"output.dir":   `output: {dir: PATH}`,
	"ledger.store": `ledger: {store: "sqlite:PATH", dataset: d, budget: {epsilon: 9, delta: 1e-4}}`,
	"lookups":      "input: {files: [in.csv], lookups: [{file: PATH.csv, on: {a: a}, add: [z]}]}",
	"values_from":  `queries: [{name: n, histogram: {by: [{column: c, values_from: {file: PATH.csv, column: c}}]}}]`,
	"known": `queries: [{name: n, crosstabs: {by: [{column: c, values_from: {file: levels.csv, column: c}, levels: [b, c]}], optimize: tables,
 known: [{level: b, file: PATH.csv, column: a}]}}]`,
	"graph": `queries: [{name: n, histogram: {by: [{column: c, values: [x, y]}]},
 denoise: [{method: tree-ensemble, graph: {edges: PATH.csv, from: u, to: v}}]}]`,
	"rates":   `queries: [{name: n, histogram: {by: [{column: c, values: [x]}]}, rates: [{name: r, file: PATH.csv, value: v, on: [c]}]}]`,
	"nearest": `queries: [{name: n, histogram: {by: [{nearest: {lat: a, lon: b, points: PATH.csv, id: id, within_m: 150}}]}}]`,
}

const pathJob = `version: 1
name: n
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input: {files: [in.csv]}
queries: [{name: n, count: {}}]
output: {dir: jout}
ledger: {store: "sqlite:j.db", dataset: d, budget: {epsilon: 9, delta: 1e-4}}
`

func TestNoPathHangs(t *testing.T) {
	owntest.Slow(t)
	notShort(t)
	t.Parallel()
	dir := t.TempDir()
	if err := copyQuickstart(filepath.Join(dir, "q")); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "in.csv"), "a,b,c\n1,2,x\n")
	put(t, filepath.Join(dir, "levels.csv"), "b,c\n2,x\n")
	put(t, filepath.Join(dir, "dated.yaml"), strings.Replace(pathJob, "name: n\n",
		"name: n\nparams: {day: {type: date, every: day}}\ntitle: \"${day}\"\n", 1))
	run := func(line string) (code int, said string, took time.Duration) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, os.Args[0], strings.Fields(line)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), asRelease+"=1")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		begin := time.Now()
		code = exitOf(cmd)
		return code, stderr.String(), time.Since(begin)
	}
	for _, line := range []string{"run q/job.yaml --quiet", "aggregate q/job.yaml --new-key run.key",
		"aggregate q/job.yaml --key run.key --shard 1/1 --out a.part"} {
		if code, said, _ := run(line); code != 0 {
			t.Fatalf("%s: %d %s", line, code, said)
		}
	}
	things := map[string]string{"pipe": filepath.Join(dir, "pipe"), "device": filepath.Join(dir, "device"),
		"socket": filepath.Join(dir, "socket"), "link": filepath.Join(dir, "link"), "folder": filepath.Join(dir, "folder")}
	listener, err := net.Listen("unix", things["socket"])
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for _, err := range []error{syscall.Mkfifo(things["pipe"], 0o600), os.Symlink("nowhere", things["link"]),
		os.Symlink("/dev/zero", things["device"]), os.Mkdir(things["folder"], 0o700)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range things {
		if err := errors.Join(os.Symlink(path, path+".csv"), os.Symlink(path, path+".svg")); err != nil {
			t.Fatal(err)
		}
	}
	lines := map[string]string{}
	for name, line := range pathLines {
		lines[name] = line
	}
	for name, change := range jobPaths {
		key, _, _ := strings.Cut(change, ":")
		var text []string
		for line := range strings.Lines(pathJob) {
			if strings.HasPrefix(line, key+":") {
				line = change + "\n"
			}
			text = append(text, line)
		}
		for thing, path := range things {
			file := name + "-" + thing + ".yaml"
			put(t, filepath.Join(dir, file), strings.ReplaceAll(strings.Join(text, ""), "PATH", path))
			lines["job "+name+" "+thing] = "run " + file
		}
	}
	for name, line := range lines {
		for thing, path := range things {
			if !long() && thing != "pipe" && strings.Contains(line, "PATH") {
				continue
			}
			if !strings.Contains(line, "PATH") && !strings.HasSuffix(name, " "+thing) {
				continue
			}
			code, said, took := run(strings.ReplaceAll(line, "PATH", path))
			if took >= 30*time.Second || code < 0 || code >= 70 && code != exitBusy || code != 0 && said == "" {
				t.Errorf("%s with a %s: exit code %d after %v: %s", name, thing, code, took.Round(time.Second), said)
			}
			for other, place := range things { // a folder may be filled; nothing else is replaced
				info, err := os.Lstat(place)
				if kind := map[string]os.FileMode{"pipe": os.ModeNamedPipe, "socket": os.ModeSocket}[other]; err != nil &&
					other != "link" && other != "folder" || err == nil && kind != 0 && info.Mode()&kind == 0 {
					t.Fatalf("%s with a %s replaced the %s", name, thing, other)
				}
			}
		}
	}
}

// exitOf runs a command and returns its exit code, or -1 if it was killed.
func exitOf(cmd *exec.Cmd) int {
	_ = cmd.Run() // the exit code is in the state
	return cmd.ProcessState.ExitCode()
}

// The ledger holds texts in UTF-8 only. A name or a reason of other bytes, as of an older terminal, is a wrong command
// line, and nothing is made.
func TestNotUTF8(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "in.csv"), "a,b,c\n1,2,x\n")
	put(t, filepath.Join(dir, "j.yaml"), pathJob)
	for _, args := range [][]string{
		{"plan", "j.yaml", "--out", "m\xfcller"}, {"run", "j.yaml", "--out", "m\xfcller/out"},
		{"ledger", "copy", "sqlite:j.db", "sqlite:m\xfcller.db"}, {"withdraw", "j.yaml", "--reason", "m\xfcller"},
	} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), asRelease+"=1")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if code := exitOf(cmd); code != 2 || !strings.Contains(stderr.String(), "not UTF-8") {
			t.Errorf("%q: exit code %d: %s", args, code, &stderr)
		}
	}
	if made, err := filepath.Glob(filepath.Join(dir, "m*")); err != nil || made != nil {
		t.Errorf("made %q, %v", made, err)
	}
}
