package pagetest

import (
	"context"
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

//go:embed testdata/axe.min.js
var axe string

// view is a page that is open in the browser, with its log of requests and messages.
type view struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string // console messages, exceptions, log entries and dialogs
	requests []string
}

// open opens a page in a window of that size, in light or dark, in a browser of its own.
func open(t *testing.T, file string, width, height int64, scheme string) *view {
	t.Helper()
	var binary string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			binary = path
			break
		}
	}
	if binary == "" {
		t.Skip("there is no Chromium: apt-get install chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(binary), chromedp.NoSandbox,
		chromedp.DisableGPU)
	allocated, cancelBrowser := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancelBrowser)
	limited, cancelTime := context.WithTimeout(allocated, 4*time.Minute)
	t.Cleanup(cancelTime)
	ctx, cancel := chromedp.NewContext(limited)
	t.Cleanup(cancel)
	v := &view{t: t, ctx: ctx}
	chromedp.ListenTarget(ctx, v.hear)
	v.run(network.Enable(), log.Enable(), runtime.Enable(),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		chromedp.EmulateViewport(width, height), chromedp.Navigate("file://"+file), chromedp.WaitReady(`html[data-ready=yes]`,
			chromedp.ByQuery))
	return v
}

func (v *view) hear(event any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		v.problems = append(v.problems, "console: "+string(e.Type))
	case *runtime.EventExceptionThrown:
		v.problems = append(v.problems, "exception: "+e.ExceptionDetails.Error())
	case *log.EventEntryAdded:
		v.problems = append(v.problems, "log: "+e.Entry.Text)
	case *page.EventJavascriptDialogOpening:
		v.problems = append(v.problems, "dialog: "+e.Message)
	case *network.EventRequestWillBeSent:
		v.requests = append(v.requests, e.Request.URL)
	}
}

func (v *view) run(actions ...chromedp.Action) {
	v.t.Helper()
	if err := chromedp.Run(v.ctx, actions...); err != nil {
		v.t.Fatal(err)
	}
}

// eval returns the value of an expression.
func eval[T any](v *view, expression string) (out T) {
	v.t.Helper()
	v.run(chromedp.Evaluate(expression, &out))
	return out
}

// quiet checks that the page logged nothing and made no request except for itself and its embedded pictures.
func (v *view) quiet() {
	v.t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, p := range v.problems {
		v.t.Error(p)
	}
	for i, r := range v.requests {
		if i > 0 && !strings.HasPrefix(r, "data:image/") && !strings.HasPrefix(r, "blob:") {
			v.t.Errorf("the page asked for %.200s", r)
		}
	}
}

// keep saves a picture of the page if PAGETEST_OUT names a folder.
func (v *view) keep(name string) {
	v.t.Helper()
	dir := os.Getenv("PAGETEST_OUT")
	if dir == "" {
		return
	}
	var picture []byte
	v.run(chromedp.FullScreenshot(&picture, 90))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		v.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".jpg"), picture, 0o600); err != nil {
		v.t.Fatal(err)
	}
}

// accessible runs axe-core with its rules for WCAG 2.1 AA. The browser admits axe-core's script in spite of the page's
// policy.
func (v *view) accessible() {
	v.t.Helper()
	v.run(chromedp.Evaluate(axe+";0", nil))
	var found string
	v.run(chromedp.Evaluate(`axe.run(document, {resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}).then(r => JSON.stringify(r.violations.map(v => ({
		id: v.id, help: v.help, nodes: v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + " :: " + n.failureSummary.slice(0, 300))}))))`, &found,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	var violations []struct {
		ID, Help string
		Nodes    []string
	}
	if err := json.Unmarshal([]byte(found), &violations); err != nil {
		v.t.Fatal(err)
	}
	for _, x := range violations {
		v.t.Errorf("%s: %s: %s", x.ID, x.Help, strings.Join(x.Nodes, "\n"))
	}
}
