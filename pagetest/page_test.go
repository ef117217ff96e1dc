package pagetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Every picture and table of a page is drawn, in silence, and is accessible in light and dark.
func TestEverything(t *testing.T) {
	out := released(t, everything())
	for _, scheme := range []string{"light", "dark"} {
		t.Run(scheme, func(t *testing.T) {
			v := open(t, filepath.Join(out, "index.html"), 1200, 1000, scheme)
			tables := eval[int](v, `document.querySelectorAll("[data-table]").length`)
			// but for the residuals of cross
			if pictures := eval[int](v,
				`[...document.querySelectorAll("[data-table]")].filter(f => f.querySelector("img")?.naturalWidth > 100).length`); tables < 18 || pictures != tables-1 {
				t.Errorf("%d tables, %d with pictures", tables, pictures)
			}
			if markup := eval[int](v, `document.querySelectorAll("b > b, bdi b, td script, h1 script").length`); markup > 0 {
				t.Errorf("%d labels became markup", markup)
			}
			v.keep("everything-" + scheme)
			v.quiet()
			v.accessible()
		})
	}
}

func TestTablesSortFilterAndDownload(t *testing.T) {
	out := released(t, everything())
	v := open(t, filepath.Join(out, "index.html"), 1200, 1000, "light")
	v.run(chromedp.Evaluate(`document.querySelectorAll("details").forEach(d => { d.open = true })`, nil))
	const table = `document.querySelector("#query-3 [data-table] table")`
	column := func(n string) []string {
		return eval[[]string](v, `[...`+table+`.querySelectorAll("tbody tr")].map(r => r.cells[`+n+`].textContent)`)
	}
	before := column("0")
	if len(before) != 20 || before[0] != "0–4" || before[19] != "95–100" {
		t.Errorf("by age: %v", before)
	}
	click := table + `.querySelectorAll("th button")[0].click()`
	v.run(chromedp.Evaluate(click, nil), chromedp.Evaluate(click, nil))
	if after := column("0"); after[0] != "95–100" || after[19] != "0–4" {
		t.Errorf("sorted downwards: %v", after)
	}
	if s := eval[string](v, table+`.querySelector("th").getAttribute("aria-sort")`); s != "descending" {
		t.Errorf("aria-sort is %q", s)
	}
	v.run(chromedp.SetValue(`#query-2 input[type=search]`, "script", chromedp.ByQuery),
		chromedp.Evaluate(`document.querySelector("#query-2 input[type=search]").dispatchEvent(new Event("input"))`, nil))
	if rows := eval[[]string](v,
		`[...document.querySelectorAll("#query-2 tbody tr")].map(r => r.cells[0].textContent)`); len(rows) != 1 ||
		rows[0] != "<script>alert(1)</script>" {
		t.Errorf("filtered: %q", rows)
	}
	v.run(chromedp.SetValue(`#query-2 input[type=search]`, "cmd", chromedp.ByQuery),
		chromedp.Evaluate(`document.querySelector("#query-2 input[type=search]").dispatchEvent(new Event("input"))`, nil))
	text := eval[string](v, `(() => { let text; const make = URL.createObjectURL; URL.createObjectURL = b => { text = b; return "blob:none" };
		const click = HTMLAnchorElement.prototype.click; HTMLAnchorElement.prototype.click = () => {};
		document.querySelector("#query-2 .controls button").click(); URL.createObjectURL = make; HTMLAnchorElement.prototype.click = click; window.__blob = text; return "ok" })()`)
	if text != "ok" {
		t.Fatal(text)
	}
	var downloaded string
	v.run(chromedp.Evaluate(`window.__blob.text()`, &downloaded, chromedp.EvalAsValue, awaited))
	if lines := strings.Split(strings.TrimSpace(downloaded), "\n"); len(lines) != 2 ||
		!strings.HasPrefix(lines[1], "'=cmd(),") {
		t.Errorf("downloaded %q", downloaded)
	}
	v.quiet()
}

// A map is one picture with the noisy values and the estimates, side by side, and a text description.
func TestMap(t *testing.T) {
	out := released(t, city())
	v := open(t, filepath.Join(out, "index.html"), 1200, 1000, "light")
	v.draws(junctions)
	v.keep("city")
	v.quiet()
	v.accessible()
}

// On a telephone the page does not scroll sideways, and all content can be reached.
func TestSmallScreen(t *testing.T) {
	for name, files := range map[string]map[string]string{"everything": everything(), "city": city()} {
		v := open(t, filepath.Join(released(t, files), "index.html"), 360, 740, "light")
		if w := eval[int](v, `document.documentElement.scrollWidth`); w > 360 {
			t.Errorf("%s is %d pixels wide: %s", name, w, eval[string](v,
				`[...document.querySelectorAll("body *")].filter(e => !e.closest(".wide, .chart") && e.getBoundingClientRect().right > 361).slice(0, 5).map(e => e.outerHTML.slice(0, 150)).join("\n")`))
		}
		if n := eval[int](v, `[...document.querySelectorAll("caption")].filter(e => e.getBoundingClientRect().width > 360 - 32).length`); n > 0 {
			t.Errorf("%s: %d captions are wider than the screen", name, n)
		}
		v.keep(name + "-small")
		v.quiet()
	}
}

// The keyboard reaches the link to the content first, then every control in the order of the page; a header sorts by
// Enter.
func TestKeyboard(t *testing.T) {
	v := open(t, filepath.Join(released(t, everything()), "index.html"), 1200, 1000, "light")
	v.run(chromedp.KeyEvent(kb.Tab))
	if first := eval[string](v, `document.activeElement.className`); first != "skip" {
		t.Errorf("the first stop is %q", first)
	}
	last, stops := -1, 0
	for range 60 {
		v.run(chromedp.KeyEvent(kb.Tab))
		at := eval[int](v, `[...document.querySelectorAll("*")].indexOf(document.activeElement)`)
		if at <= last {
			break
		}
		last = at
		stops++
	}
	if stops < 30 {
		t.Errorf("the keyboard makes %d stops in the order of the page", stops)
	}
	v.run(chromedp.Focus(`#query-1 th button`, chromedp.ByQuery), chromedp.KeyEvent(kb.Enter))
	if s := eval[string](v, `document.querySelector("#query-1 th").getAttribute("aria-sort")`); s != "ascending" {
		t.Errorf("Enter sorts %q", s)
	}
	v.quiet()
}

func TestPrint(t *testing.T) {
	v := open(t, filepath.Join(released(t, everything()), "index.html"), 1200, 1000, "dark")
	v.run(emulation.SetEmulatedMedia().WithMedia("print"))
	if shown := eval[int](v, `[...document.querySelectorAll("nav, .controls, .pick")].filter(e => getComputedStyle(e).display !== "none").length`); shown > 0 {
		t.Errorf("%d controls are printed", shown)
	}
	if c := eval[string](v, `getComputedStyle(document.body).backgroundColor`); c != "rgb(255, 255, 255)" {
		t.Errorf("the paper is %s", c)
	}
	var pdf []byte
	v.run(chromedp.ActionFunc(func(ctx ctx) (err error) { pdf, _, err = page.PrintToPDF().Do(ctx); return err }))
	if !bytes.HasPrefix(pdf, []byte("%PDF")) || len(pdf) < 50_000 {
		t.Errorf("%d bytes are printed", len(pdf))
	}
	v.quiet()
}

// A text of the data that no cell has is in no file.
func TestCanary(t *testing.T) {
	out := released(t, everything())
	files, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(out, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte(canary)) {
			t.Errorf("%s holds it", f.Name())
		}
		if f.Name() == "index.html" && len(text) > 5<<20 {
			t.Errorf("the page has %d bytes", len(text))
		}
	}
}

// The page shows the sum of the cells that a reader selects or filters, with the interval that release combine
// computes.
func TestPageAddsCellsUp(t *testing.T) {
	out := released(t, everything())
	v := open(t, filepath.Join(out, "index.html"), 1200, 1000, "light")
	v.run(chromedp.Evaluate(`document.querySelectorAll("details").forEach(d => { d.open = true })`, nil))
	sums := eval[map[string]string](v, `(() => { const data = JSON.parse(document.getElementById("data").textContent), out = {};
		document.querySelectorAll("[data-table]").forEach(f => { const sum = [...f.querySelectorAll("p[role=status]")].find(p => p.textContent.startsWith("Sum of all"));
			if (sum) out[data.tables[f.dataset.table].file] = sum.textContent; });
		return out; })()`)
	if len(sums) < 10 {
		t.Errorf("%d tables have a sum", len(sums))
	}
	binary, err := program()
	if err != nil {
		t.Fatal(err)
	}
	for table, text := range sums {
		var want struct {
			Noisy     float64 `json:"noisy"`
			Deviation float64 `json:"standard_deviation"`
			Low       float64 `json:"ci95_low"`
			High      float64 `json:"ci95_high"`
		}
		answer, err := exec.Command(binary, "combine", out, "--sum", `"`+table+`"`, "--json").Output()
		if err == nil {
			err = json.Unmarshal(answer, &want)
		}
		if err != nil {
			t.Errorf("%s: %v", table, err)
			continue
		}
		_, numbers, _ := strings.Cut(text, ": ")
		var sum, low, high float64
		if _, err := fmt.Sscanf(strings.ReplaceAll(numbers, ",", ""), "%g (95 %% interval %g to %g)", &sum, &low, &high); err != nil {
			t.Errorf("%s: %q: %v", table, text, err)
		}
		digit := math.Pow(10, math.Ceil(math.Log10(want.Deviation))-1) // the page rounds to a tenth of the deviation or finer
		if math.Abs(sum-want.Noisy) > digit || math.Abs(low-want.Low) > digit || math.Abs(high-want.High) > digit {
			t.Errorf("%s: the page states %q, release combine %+v", table, text, want)
		}
	}
	v.run(chromedp.Evaluate(`(() => { const boxes = document.querySelectorAll("#query-2 tbody input[type=checkbox]"); boxes[0].click(); boxes[1].click(); })()`, nil))
	picked := eval[string](v, `[...document.querySelectorAll("#query-2 p[role=status]")].map(p => p.textContent).filter(t => t.startsWith("Sum of"))[0]`)
	if !strings.HasPrefix(picked, "Sum of the 2 cells that you picked: ") || !strings.Contains(picked, "95 % interval") {
		t.Errorf("picked: %q", picked)
	}
	v.keep("sums")
	v.quiet()
	v.accessible()
}

// If a cell is withheld, the page states that the sum of the cells is not known. The sum of one cell is not called a
// sum of cells.
func TestPageAddsNoEmptyCellsUp(t *testing.T) {
	files := everything()
	files["job.yaml"] = strings.Replace(files["job.yaml"], "  - name: by_region\n",
		"  - name: by_region\n    publish: {min_count: 100}\n", 1)
	v := open(t, filepath.Join(released(t, files), "index.html"), 1200, 1000, "light")
	sum := func() string {
		return eval[string](v, `[...document.querySelectorAll("#query-2 p[role=status]")].map(p => p.textContent).find(t => t.startsWith("Sum of"))`)
	}
	if got, want := sum(), "not known, since it includes an empty cell"; !strings.HasSuffix(got, " cells: "+want) {
		t.Errorf("%q, want %q", got, want)
	}
	v.run(chromedp.Evaluate(`document.querySelector("#query-2 tbody input[type=checkbox]").click()`, nil))
	if got := sum(); !strings.HasPrefix(got, "Sum of the cell that you picked: ") {
		t.Errorf("picked: %q", got)
	}
	v.quiet()
}
