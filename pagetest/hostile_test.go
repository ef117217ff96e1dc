package pagetest

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Labels with markup, formulas, characters that change the direction of writing, or ten thousand characters are
// harmless in every file and picture of a release. A text of the data that no cell has is in none of them.
func TestHostileTexts(t *testing.T) {
	dir := released(t, everything())
	binary, err := program()
	if err != nil {
		t.Fatal(err)
	}
	drawings := t.TempDir()
	for _, picture := range []string{"by_region.svg", "sex_age_region.svg", "by_region.pdf", "by_region.png"} {
		query, _, _ := strings.Cut(picture, ".")
		if out, err := exec.Command(binary, "plot", dir, "--query", query, "--out",
			filepath.Join(drawings, picture)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	kinds := map[string]int{}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	drawn, _ := filepath.Glob(filepath.Join(drawings, "*"))
	for _, path := range append(files, drawn...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, ext := filepath.Base(path), filepath.Ext(path)
		if strings.Contains(string(text), canary) {
			t.Errorf("%s holds the canary", name)
		}
		kinds[ext]++
		if err := harmless(ext, string(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, ext := range []string{".html", ".svg", ".json", ".jsonld", ".csv", ".cff", ".md"} {
		if kinds[ext] == 0 {
			t.Errorf("no file %s was looked at", ext)
		}
	}
}

var markup = regexp.MustCompile(`(?i)<script>alert|<b>city|<img|javascript:|\son[a-z]+=`)

// pictures matches the page's own pictures with their texts.
var pictures = regexp.MustCompile(`<img src="data:image/svg&#43;xml;base64,[A-Za-z0-9/=&#;]*" alt="[^"<>]*" width="\d+" height="\d+">`)

func harmless(ext, text string) error {
	switch ext {
	case ".html":
		_, static, _ := strings.Cut(text, "</style>")
		static, _, _ = strings.Cut(static, `<script type="application/json"`)
		static = pictures.ReplaceAllString(static, "")
		_, data, _ := strings.Cut(text, `id="data">`)
		data, _, _ = strings.Cut(data, "</script>")
		if found := markup.FindString(static + data); found != "" {
			return errors.New("it holds " + found)
		}
		if strings.ContainsRune(static+data, '\u202e') || strings.Contains(text, strings.Repeat("k", 200)) {
			return errors.New("it holds a mark of direction, or a long label")
		}
	case ".svg":
		if strings.ContainsRune(text, '\u202e') || len(text) > 1<<20 {
			return errors.New("it holds a mark of direction, or is long")
		}
		return drawn(text)
	case ".json", ".jsonld":
		if !json.Valid([]byte(text)) || strings.Contains(text, "<script") && ext == ".jsonld" {
			return errors.New("it is no JSON, or holds markup")
		}
	case ".csv":
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			return err
		}
		for _, row := range rows {
			for _, cell := range row {
				if regexp.MustCompile(`^[=+\-@\t\r]`).MatchString(cell) &&
					!regexp.MustCompile(`^[+-]?[0-9.]+(e[+-]?[0-9]+)?$`).MatchString(cell) {
					return errors.New("a spreadsheet runs " + cell[:min(20, len(cell))])
				}
			}
		}
	case ".md":
		if markup.MatchString(text) || strings.ContainsRune(text, '\u202e') {
			return errors.New("it holds markup")
		}
	case ".cff":
		for _, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "=") || strings.HasPrefix(line, "<") {
				return errors.New("a text begins a line")
			}
		}
	}
	return nil
}

// drawn checks that a picture is XML of lines, shapes and texts only.
func drawn(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if e, ok := token.(xml.StartElement); ok {
			switch e.Name.Local {
			case "svg", "g", "path", "text", "rect", "line", "polygon", "defs", "clipPath":
			default:
				return errors.New("it holds an element " + e.Name.Local)
			}
			for _, a := range e.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
					return errors.New("an element has the attribute " + a.Name.Local)
				}
			}
		}
	}
}
