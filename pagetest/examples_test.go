package pagetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// exampleJobs are the jobs in the examples' folders, with the numbers of points on their maps.
var exampleJobs = []struct {
	name, folder, job string
	points            int
}{
	{"quickstart", "quickstart", "job.yaml", 0},
	{"quantiles", "quantiles", "job.yaml", 0},
	{"adult-margins", "adult", "margins.yaml", 0},
	{"adult-means", "adult", "means.yaml", 0},
	{"adult-crosstabs", "adult", "crosstabs.yaml", 0},
	{"adult", "adult", "job.yaml", 0},
	{"nyc-taxi", "nyc-taxi", "job.yaml", 3874},
}

// theExamples returns a copy of the examples, with their tables and a release of every job, and the folders of the
// releases by the examples' names.
var theExamples = sync.OnceValues(func() (map[string]string, error) {
	binary, err := program()
	if err != nil {
		return nil, err
	}
	root := filepath.Join(filepath.Dir(binary), "examples") // is removed with the program
	out := map[string]string{}
	for _, folder := range []string{"quickstart", "quantiles", "adult", "nyc-taxi"} {
		if err := prepare(folder, filepath.Join(root, folder)); err != nil {
			return nil, err
		}
	}
	for _, e := range exampleJobs {
		dir := filepath.Join(root, e.folder)
		run := exec.Command(binary, "run", e.job, "--quiet")
		run.Dir = dir
		text, err := run.CombinedOutput()
		if err != nil {
			return nil, errors.New(e.name + ": " + string(text))
		}
		if out[e.name], err = releaseOf(binary, dir, e.job); err != nil {
			return nil, err
		}
	}
	return out, nil
})

// prepare copies an example's folder and fills its data.
func prepare(name, dir string) error {
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "examples", name))); err != nil {
		return err
	}
	for _, of := range []string{"ledger.db", "ledger.db.key", "out"} { // left by a release in the clone
		if err := os.RemoveAll(filepath.Join(dir, of)); err != nil {
			return err
		}
	}
	if name != "adult" && name != "nyc-taxi" {
		return nil
	}
	_ = os.RemoveAll(filepath.Join(dir, "data")) // left by whoever tried the example
	fill := exec.Command("go", "run", "./examples/"+name, "--prepare", "--dir", dir)
	fill.Dir = ".."
	if text, err := fill.CombinedOutput(); err != nil {
		return errors.New(string(text))
	}
	return nil
}

// releaseOf returns the folder of a job's release, which the program prints when it is run again.
func releaseOf(binary, dir, job string) (string, error) {
	again := exec.Command(binary, "run", job, "--json")
	again.Dir = dir
	text, err := again.Output()
	if err != nil {
		return "", err
	}
	var said struct{ Dir string }
	return said.Dir, json.Unmarshal(text, &said)
}

func examples(t *testing.T) map[string]string {
	t.Helper()
	all, err := theExamples()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The page of every example is quiet, accessible, fits a telephone, sorts, filters, prints, and its elements are
// reached by the keyboard in reading order. The page of 27 million cells is below 5 MB.
func TestExamples(t *testing.T) {
	folders := examples(t)
	for _, e := range exampleJobs {
		t.Run(e.name, func(t *testing.T) {
			file := filepath.Join(folders[e.name], "index.html")
			if info, err := os.Stat(file); err != nil || info.Size() > 5_000_000 {
				t.Fatalf("the page has %d bytes: %v", info.Size(), err)
			}
			v := open(t, file, 1200, 1000, "light")
			ready := eval[int](v, `Math.round(performance.getEntriesByType("navigation")[0].loadEventEnd)`)
			if e.points > 0 {
				v.draws(e.points)
			}
			v.keep(e.name)
			v.sortsAndFilters()
			v.tabs()
			v.run(chromedp.EmulateViewport(360, 740), chromedp.Sleep(400*time.Millisecond)) // until the pictures are drawn anew
			if w := eval[int](v, `document.documentElement.scrollWidth`); w > 360 {
				t.Errorf("on a telephone the page is %d pixels wide", w)
			}
			v.keep(e.name + "-small")
			v.prints()
			v.quiet()
			v.thin()
			v.accessible()
			t.Logf("drawn after %d ms", ready)
		})
	}
}

// draws checks that the map has both panels and the given number of points.
func (v *view) draws(points int) {
	v.t.Helper()
	picture := eval[string](v, `atob(document.querySelector("#query-1 img").src.split(",")[1])`)
	for _, want := range []string{">Noisy values<", ">Estimates (denoised)<"} {
		if !strings.Contains(picture, want) {
			v.t.Errorf("the map lacks %s", want)
		}
	}
	if text := eval[string](v, `document.querySelector("#query-1 img").alt`); !strings.Contains(text,
		fmt.Sprintf("%d values", points)) && !strings.Contains(strings.ReplaceAll(text, ",", ""),
		fmt.Sprintf("%d values", points)) {
		v.t.Errorf("the map says %q, want %d values", text, points)
	}
}

// sortsAndFilters tests every table: its first column ascends after a click and descends after a second one, and a
// filter that matches no row hides all. A table of fewer than ten rows has no filter.
func (v *view) sortsAndFilters() {
	v.t.Helper()
	v.run(chromedp.Evaluate(`document.querySelectorAll("details").forEach(d => { d.open = true })`, nil))
	wrong := eval[[]string](v, `[...document.querySelectorAll("[data-table]")].flatMap((f, i) => {
		const table = f.querySelector("table"), head = table.querySelector("th"), wrong = [];
		const button = head.querySelector("button");
		button.click(); if (head.getAttribute("aria-sort") !== "ascending") wrong.push(i + " does not ascend");
		const first = table.querySelector("tbody td")?.textContent;
		button.click(); if (head.getAttribute("aria-sort") !== "descending") wrong.push(i + " does not descend");
		const rows = table.querySelectorAll("tbody tr").length;
		if (rows > 1 && table.querySelector("tbody td").textContent === first && new Set([...table.querySelectorAll("tbody tr")].map(r => r.cells[0].textContent)).size > 1) wrong.push(i + " is not turned round");
		const filter = f.querySelector("input[type=search]");
		if ((filter !== null) !== (rows >= 10)) wrong.push(i + " of " + rows + " rows: its filter is not as its rows need");
		if (!filter) return wrong;
		filter.value = "no row has this"; filter.dispatchEvent(new Event("input"));
		if (table.querySelectorAll("tbody tr").length !== 0) wrong.push(i + " does not filter");
		filter.value = ""; filter.dispatchEvent(new Event("input"));
		if (table.querySelectorAll("tbody tr").length !== rows) wrong.push(i + " does not come back");
		return wrong;
	})`)
	for _, w := range wrong {
		v.t.Error("table " + w)
	}
}

// tabs presses the key ten times from the beginning: each stop is farther down in the page.
func (v *view) tabs() {
	v.t.Helper()
	v.run(chromedp.Evaluate(`document.activeElement.blur(); scrollTo(0, 0)`, nil))
	last := -1
	for i := range 10 {
		v.run(chromedp.KeyEvent(kb.Tab))
		at := eval[int](v, `[...document.querySelectorAll("*")].indexOf(document.activeElement)`)
		if at <= last {
			v.t.Errorf("stop %d of the keyboard is element %d, after %d", i+1, at, last)
		}
		last = at
	}
}

// thin keeps five rows of each table: on a page of 36 tables axe-core would take minutes. TestEverything has whole
// tables and pictures of every kind, in light and dark.
func (v *view) thin() {
	v.t.Helper()
	v.run(emulation.SetEmulatedMedia().WithMedia("screen"), chromedp.EmulateViewport(1200, 1000),
		chromedp.Sleep(400*time.Millisecond),
		chromedp.Evaluate(`document.querySelectorAll("tbody tr:nth-child(n+6)").forEach(e => e.remove())`, nil))
}

// prints makes a PDF, and checks the elements that are hidden on paper.
func (v *view) prints() {
	v.t.Helper()
	var pdf []byte
	v.run(chromedp.ActionFunc(func(ctx ctx) (err error) {
		pdf, _, err = page.PrintToPDF().WithPrintBackground(true).Do(ctx)
		return err
	}))
	if len(pdf) < 20_000 {
		v.t.Errorf("%d bytes are printed", len(pdf))
	}
	v.run(emulation.SetEmulatedMedia().WithMedia("print"))
	if shown := eval[int](v, `[...document.querySelectorAll("nav, .controls")].filter(e => getComputedStyle(e).display !== "none").length`); shown > 0 {
		v.t.Errorf("%d controls are printed", shown)
	}
	if c := eval[string](v, `getComputedStyle(document.body).backgroundColor`); c != "rgb(255, 255, 255)" {
		v.t.Errorf("the paper is %s", c)
	}
}
