package report

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// cite returns how to cite the release, in one line.
func (r *catalogue) cite() string {
	who := "The publisher of " + r.Name
	if len(r.Creators) > 0 {
		who = strings.Join(r.Creators, "; ")
	}
	text := fmt.Sprintf("%s: %s. Differentially private release.", who, r.Title)
	if r.Published != "" {
		text += " " + r.Published + "."
	}
	if r.Address != "" {
		text += " " + r.Address
	}
	return text
}

// citation returns a file of the Citation File Format 1.2.0.
func (r *catalogue) citation() []byte {
	type entity struct {
		Name string `yaml:"name"`
	}
	file := struct {
		Version   string   `yaml:"cff-version"`
		Message   string   `yaml:"message"`
		Type      string   `yaml:"type"`
		Title     string   `yaml:"title"`
		Abstract  string   `yaml:"abstract,omitempty"`
		Authors   []entity `yaml:"authors"`
		Keywords  []string `yaml:"keywords"`
		Licence   string   `yaml:"license,omitempty"`
		LicenceAt string   `yaml:"license-url,omitempty"`
		URL       string   `yaml:"url,omitempty"`
		Released  string   `yaml:"date-released,omitempty"`
	}{
		Version: "1.2.0", Message: "If you use this release, please cite it as below.", Type: "dataset",
		Title: r.Title, Abstract: r.Description,
		Keywords: []string{"differential privacy"}, Released: r.Published,
	}
	if isAddress(r.Address) {
		file.URL = r.Address
	}
	if isAddress(r.Licence) {
		file.LicenceAt = r.Licence
	} else if r.knownLicence() {
		file.Licence = r.Licence
	}
	for _, c := range append(append([]string{}, r.Creators...), r.Authors...) {
		file.Authors = append(file.Authors, entity{c})
	}
	if len(file.Authors) == 0 {
		file.Authors = []entity{{"The publisher of " + r.Name}}
	}
	text, _ := yaml.Marshal(file) // no error: texts and lists can be encoded
	return text
}
