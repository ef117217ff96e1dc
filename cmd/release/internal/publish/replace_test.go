package publish_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/publish"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/io/store/storetest"
	"github.com/dprelease/dprelease/pipeline"
)

const place = "memory://bucket/p"

// whole fails if there is a manifest and one of its files is missing.
func whole(t *testing.T, m *storetest.Memory, when string) {
	t.Helper()
	keys := m.Keys()
	var stated struct {
		Queries []struct {
			Files []struct{ Path, SHA256 string }
		}
		Documents []struct{ Path, SHA256 string }
	}
	text, there := keys["p/release.json"]
	if !there {
		return
	}
	if err := json.Unmarshal(text, &stated); err != nil {
		t.Errorf("%s: %v", when, err)
	}
	files := stated.Documents
	for _, q := range stated.Queries {
		files = append(files, q.Files...)
	}
	if len(files) == 0 {
		t.Errorf("%s: the manifest states no files", when)
	}
	for _, f := range files {
		sum := sha256.Sum256(keys["p/"+f.Path])
		if hex.EncodeToString(sum[:]) != f.SHA256 {
			t.Errorf("%s: the manifest stands, and %s is not what it states", when, f.Path)
		}
	}
}

// publishedTo returns a store with a release.
func publishedTo(t *testing.T, dir string) *storetest.Memory {
	t.Helper()
	m := storetest.New()
	store.Register("memory", m.Opener)
	if _, err := run(t, dir, place); err != nil {
		t.Fatal(err)
	}
	return m
}

// Objects below the prefix that the earlier release's manifest does not name stay unchanged.
func TestReplaceTouchesNothingElse(t *testing.T) {
	own := files(t, first)
	var common string
	for name := range files(t, second) {
		if _, both := own[name]; both && strings.HasSuffix(name, ".csv") {
			common = name
		}
	}
	t.Run("a file of no release", func(t *testing.T) {
		m := storetest.New()
		store.Register("memory", m.Opener)
		m.Set(common, []byte("mine"))
		if _, err := run(t, second, place, "--replace"); code(err) != "other-release" || string(m.Keys()[common]) != "mine" ||
			len(m.Keys()) != 1 {
			t.Errorf("%v, %d objects", err, len(m.Keys()))
		}
	})
	t.Run("a file of the earlier release that was changed", func(t *testing.T) {
		m := publishedTo(t, first)
		m.Set(common, []byte("mine"))
		before := m.Keys()
		if _, err := run(t, second, place, "--replace"); code(err) != "other-release" {
			t.Error(err)
		}
		equal(t, m.Keys(), before)
	})
	t.Run("no manifest", func(t *testing.T) {
		m := publishedTo(t, first)
		m.Set("p/release.json", []byte(`{"mine": true}`))
		before := m.Keys()
		if _, err := run(t, second, place, "--replace"); code(err) != "other-release" {
			t.Error(err)
		}
		equal(t, m.Keys(), before)
	})
	text, err := os.ReadFile(first + "/release.json")
	if err != nil {
		t.Fatal(err)
	}
	paths, sums := regexp.MustCompile(`"path": "[^"]+"`), regexp.MustCompile(`"sha256": "[0-9a-f]+"`)
	for _, x := range []struct {
		name, content string
		gone          bool
	}{{"sub/own.csv", "x", false}, {"old.csv", "x", true}, {"old.csv", "changed", false}} {
		t.Run(x.name+" "+x.content, func(t *testing.T) {
			m := storetest.New()
			store.Register("memory", m.Opener)
			sum := sha256.Sum256([]byte("x"))
			stated := paths.ReplaceAll(text, []byte(`"path": "`+x.name+`"`))
			m.Set("p/release.json", sums.ReplaceAll(stated, []byte(`"sha256": "`+hex.EncodeToString(sum[:])+`"`)))
			m.Set("p/"+x.name, []byte(x.content))
			out, err := run(t, second, place, "--replace")
			if err != nil {
				t.Fatal(err)
			}
			if _, there := m.Keys()["p/"+x.name]; there == x.gone || strings.Contains(out, "stay") != (x.content == "changed") {
				t.Errorf("it is there: %t; %s", there, out)
			}
		})
	}
}

// A replacement that is stopped after any of its steps is finished by the same command, and a manifest never exists
// with files that it does not state.
func TestReplaceThatIsStopped(t *testing.T) {
	want := files(t, second)
	for stop := 1; ; stop++ {
		m := publishedTo(t, first)
		m.Set("p/mine.txt", []byte("mine"))
		var mu sync.Mutex
		steps, stopped := 0, false
		m.Before = func(request, _ string, _ int64) (int, error) {
			mu.Lock()
			defer mu.Unlock()
			if request != "put" && request != "delete" {
				return 0, nil
			}
			if steps++; steps > stop {
				stopped = true
				return 0, store.Failure(store.Denied, "")
			}
			return 0, nil
		}
		m.After = func(request, key string) error { whole(t, m, fmt.Sprint(stop, " ", request, " ", key)); return nil }
		_, err := run(t, second, place, "--replace")
		if !stopped {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		m.Before = nil
		for _, dir := range []string{first, second} { // without --replace, no release succeeds beside files of another one
			_, err := run(t, dir, place)
			got := m.Keys()
			delete(got, "p/mine.txt")
			if err == nil && !maps.EqualFunc(got, files(t, dir), bytes.Equal) {
				t.Errorf("after %d steps: publish without --replace succeeded beside %v", stop, slices.Sorted(maps.Keys(got)))
			}
		}
		if _, err := run(t, second, place, "--replace"); err != nil {
			t.Fatalf("after %d steps: %v", stop, err)
		}
		got := m.Keys()
		if string(got["p/mine.txt"]) != "mine" {
			t.Errorf("after %d steps: another's object is gone", stop)
		}
		delete(got, "p/mine.txt")
		equal(t, got, want)
	}
}

// If a replacement is stopped after any of its steps, a third release, or the first one again, can still be published
// to the prefix. No object of the stopped replacement is left, and the output says that it was removed.
func TestReplaceThatIsStoppedByAnother(t *testing.T) {
	third := filepath.Join(t.TempDir(), "third")
	if err := writeRelease(third, "3"); err != nil {
		t.Fatal(err)
	}
	for _, next := range []string{third, first} {
		for stop := 1; ; stop++ {
			m := publishedTo(t, first)
			m.Set("p/mine.txt", []byte("mine"))
			steps, stopped := 0, false
			var mu sync.Mutex
			m.Before = func(request, _ string, _ int64) (int, error) {
				mu.Lock()
				defer mu.Unlock()
				if request != "put" && request != "delete" {
					return 0, nil
				}
				if steps++; steps > stop {
					stopped = true
					return 0, store.Failure(store.Denied, "")
				}
				return 0, nil
			}
			if _, err := run(t, second, place, "--replace"); !stopped {
				if err != nil {
					t.Fatal(err)
				}
				break
			}
			m.Before = nil
			m.After = func(request, key string) error { whole(t, m, fmt.Sprint(stop, " ", request, " ", key)); return nil }
			out, err := run(t, next, place, "--replace")
			if err != nil {
				t.Fatalf("after %d steps: %v", stop, err)
			}
			if !strings.Contains(out, "a publication was cut off here earlier") {
				t.Errorf("after %d steps: %s", stop, out)
			}
			got := m.Keys()
			if string(got["p/mine.txt"]) != "mine" {
				t.Errorf("after %d steps: another's object is gone", stop)
			}
			delete(got, "p/mine.txt")
			equal(t, got, files(t, next))
		}
	}
}

// If a first publication is stopped after any of its steps, the error of another release names the commands that help:
// the same command finishes the publication, and --replace of another release undoes it.
func TestFirstPublicationThatIsStopped(t *testing.T) {
	for _, next := range [][]string{{first, place}, {first, place, "--replace"}, {second, place, "--replace"}} {
		for stop := 1; ; stop++ {
			m := storetest.New()
			store.Register("memory", m.Opener)
			m.Set("p/mine.txt", []byte("mine"))
			var steps atomic.Int64
			m.Before = func(request, _ string, _ int64) (int, error) {
				if request == "put" && steps.Add(1) > int64(stop) {
					return 0, store.Failure(store.Denied, "")
				}
				return 0, nil
			}
			if _, err := run(t, first, place); err == nil {
				break
			}
			m.Before = nil
			_, err := run(t, second, place)
			var failed *pipeline.Error
			if !errors.As(err, &failed) || failed.Code != "other-release" || !strings.Contains(failed.Hint, "cut off finishes it") ||
				!strings.Contains(failed.Hint, "release publish --replace") {
				t.Errorf("after %d steps: %v", stop, err)
			}
			if _, err := run(t, next...); err != nil {
				t.Fatalf("after %d steps: %v", stop, err)
			}
			got := m.Keys()
			if string(got["p/mine.txt"]) != "mine" {
				t.Errorf("after %d steps: another's object is gone", stop)
			}
			delete(got, "p/mine.txt")
			equal(t, got, files(t, next[0]))
		}
	}
}

// Whoever may not delete can publish. The note that stays says so and blocks nothing.
func TestPublishWithoutDeleting(t *testing.T) {
	m := storetest.New()
	store.Register("memory", m.Opener)
	m.Before = func(request, _ string, _ int64) (int, error) {
		if request == "delete" {
			return 0, store.Failure(store.Denied, "")
		}
		return 0, nil
	}
	for range 2 {
		if out, err := run(t, first, place); err != nil || !strings.Contains(out, "release.json.replaced can't be removed") {
			t.Errorf("%s, %v", out, err)
		}
	}
	m.Before = nil
	if _, err := run(t, second, place, "--replace"); err != nil {
		t.Error(err)
	}
	equal(t, m.Keys(), files(t, second))
}

// A signal that comes while the note is removed ends the command as any signal does.
func TestPublishStoppedAtItsEnd(t *testing.T) {
	m := storetest.New()
	store.Register("memory", m.Opener)
	ctx, stop := context.WithCancel(t.Context())
	m.Before = func(request, _ string, _ int64) (int, error) {
		if request == "delete" {
			stop()
			return 0, context.Canceled
		}
		return 0, nil
	}
	cmd := publish.Command(console.New(io.Discard, io.Discard))
	cmd.SetArgs([]string{first, place})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	if err := cmd.ExecuteContext(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// If the store does not answer the last check, no other replacement was seen: the manifest stays, and the same command
// ends what was begun.
func TestUnansweredCheckKeepsTheManifest(t *testing.T) {
	m := publishedTo(t, first)
	var written, down atomic.Bool
	m.After = func(request, key string) error {
		written.Store(written.Load() || request == "put" && key == "p/release.json")
		return nil
	}
	m.Before = func(request, key string, _ int64) (int, error) {
		if written.Load() && request == "stat" && key != "p/release.json" { // sendFile reads the manifest back
			down.Store(true)
			return 0, store.Failure(store.Denied, "")
		}
		return 0, nil
	}
	_, err := run(t, second, place, "--replace")
	if code(err) != "store" || !down.Load() || !bytes.Equal(m.Keys()["p/release.json"], files(t, second)["p/release.json"]) {
		t.Errorf("%v; the manifest is not there", err)
	}
	m.Before, m.After = nil, nil
	if _, err := run(t, second, place, "--replace"); err != nil {
		t.Error(err)
	}
	equal(t, m.Keys(), files(t, second))
}

// If another replacement takes over before a replacement writes its manifest, it does not write it.
func TestReplaceThatIsTakenOver(t *testing.T) {
	m := publishedTo(t, first)
	taken := false
	m.Before = func(request, key string, _ int64) (int, error) {
		if request == "delete" && key == "p/release.json" && !taken {
			taken = true
			m.Set("p/release.json.replaced", []byte("{}"))
		}
		return 0, nil
	}
	if _, err := run(t, second, place, "--replace"); !taken || code(err) != "other-release" {
		t.Errorf("%v", err)
	}
	if _, there := m.Keys()["p/release.json"]; there {
		t.Error("the manifest was written")
	}
}

// If the answer to a write or a removal is lost, once or always, the program finds its effect: the replacement
// succeeds, whichever request it is.
func TestAnswersAreLost(t *testing.T) {
	want := files(t, second)
	for nth, more := 1, true; more; nth++ {
		m := publishedTo(t, first)
		var mu sync.Mutex
		lost, count := "", 0
		m.After = func(request, key string) error {
			mu.Lock()
			defer mu.Unlock()
			count++
			if count == nth {
				lost = request + key
				return store.Failure(store.Unavailable, "")
			}
			return nil
		}
		_, err := run(t, second, place, "--replace")
		if err != nil {
			t.Fatalf("the answer to %s was lost: %v", lost, err)
		}
		equal(t, m.Keys(), want)
		more = lost != ""
	}
	m := publishedTo(t, first)
	m.After = func(request, key string) error { // the store executes each request, and answers none
		if request == "put" && (key == "p/release.json.replaced" || strings.HasSuffix(key, ".csv")) {
			return store.Failure(store.Unavailable, "")
		}
		return nil
	}
	if _, err := run(t, second, place, "--replace"); err != nil {
		t.Fatal(err)
	}
	equal(t, m.Keys(), want)
}

// If two releases are published to one prefix at the same time, perhaps one in place of the other, a manifest never
// exists with files that it does not state, and if only one copy succeeded, its release is there.
func TestPublishedAtTheSameTime(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	var mu sync.Mutex
	for try := range 60 {
		replace := try%2 == 0
		m := storetest.New()
		store.Register("memory", m.Opener)
		args := [][]string{{first, place}, {second, place}}
		if replace {
			m = publishedTo(t, first)
			args[1] = append(args[1], "--replace")
		}
		m.After = func(request, key string) error {
			whole(t, m, fmt.Sprint("try ", try, " ", request, " ", key))
			return nil
		}
		order := make(chan struct{}, 1)
		order <- struct{}{}
		m.Before = func(string, string, int64) (int, error) {
			mu.Lock()
			n := rng.Intn(4)
			mu.Unlock()
			for range n { // gives the other one a head start, sometimes
				<-order
				order <- struct{}{}
			}
			return 0, nil
		}
		var both sync.WaitGroup
		failed := make([]error, 2)
		for i := range args {
			both.Go(func() { _, failed[i] = run(t, args[i]...) })
		}
		both.Wait()
		m.Before, m.After = nil, nil
		whole(t, m, fmt.Sprint("try ", try))
		there := m.Keys()["p/release.json"]
		for i, dir := range []string{first, second} {
			if own := files(t, dir)["p/release.json"]; failed[i] == nil && failed[1-i] != nil && !bytes.Equal(there, own) {
				t.Errorf("try %d: the copy of %s succeeded, and the other's manifest is there", try, dir)
			}
		}
	}
}

// mortal is a store that refuses all writes after some.
type mortal struct {
	*storetest.Memory
	left *atomic.Int64 // the number of writes that are not refused
}

func (m mortal) Put(ctx context.Context, key, mediaType string, content io.ReadSeeker, size int64,
	over *store.Object) error {
	if m.left.Add(-1) < 0 {
		return store.Failure(store.Denied, "")
	}
	return m.Memory.Put(ctx, key, mediaType, content, size, over)
}

func (m mortal) Delete(ctx context.Context, o store.Object) error {
	if m.left.Add(-1) < 0 {
		return store.Failure(store.Denied, "")
	}
	return m.Memory.Delete(ctx, o)
}

// Another replacement runs, or is stopped after some of its writes, before some request of a replacement. Then
// publish --replace puts any release there, whole, and leaves nothing of the others. A manifest never
// stays beside files that it does not state.
func TestReplaceWithinReplace(t *testing.T) {
	third := filepath.Join(t.TempDir(), "third")
	if err := writeRelease(third, "3"); err != nil {
		t.Fatal(err)
	}
	for _, dirs := range [][2]string{{first, second}, {second, third}} {
		for _, writes := range []int64{2, 1000} {
			for at, more := int64(1), true; more; at += 5 {
				m := publishedTo(t, first)
				var left, requests atomic.Int64
				left.Store(writes)
				store.Register("mortal", func(context.Context, store.Address) (store.Bucket, error) {
					return mortal{m, &left}, nil
				})
				m.Before = func(string, string, int64) (int, error) {
					if requests.Add(1) == at {
						_, _ = run(t, dirs[1], "mortal://bucket/p", "--replace")
					}
					return 0, nil
				}
				_, _ = run(t, dirs[0], place, "--replace")
				m.Before = nil
				when := fmt.Sprintf("%s, and before request %d %d writes of %s", filepath.Base(dirs[0]), at, writes,
					filepath.Base(dirs[1]))
				whole(t, m, when)
				for _, next := range []string{third, first} {
					if _, err := run(t, next, place, "--replace"); err != nil {
						t.Fatalf("%s: %v", when, err)
					}
					equal(t, m.Keys(), files(t, next))
				}
				more = requests.Load() >= at
			}
		}
	}
}

// Objects have the right media types.
func TestMediaTypes(t *testing.T) {
	m := publishedTo(t, first)
	for key := range m.Keys() {
		want := map[bool]string{true: "application/json", false: "text/csv; charset=utf-8"}[strings.HasSuffix(key, ".json")]
		if got := m.MediaType(key); (strings.HasSuffix(key, ".json") || strings.HasSuffix(key, ".csv")) && got != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
}
