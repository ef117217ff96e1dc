package report

import (
	"regexp"
	"slices"
)

// licences lists the SPDX identifiers of common data licences. Any other text is written as free text, even if it is an
// identifier, because the schema of citation files accepts only identifiers that it lists.
var licences = []string{
	"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-1.0", "CC-BY-2.0", "CC-BY-2.5", "CC-BY-3.0", "CC-BY-4.0",
	"CC-BY-NC-1.0", "CC-BY-NC-2.0", "CC-BY-NC-2.5", "CC-BY-NC-3.0",
	"CC-BY-NC-4.0", "CC-BY-NC-ND-3.0", "CC-BY-NC-ND-4.0", "CC-BY-NC-SA-3.0", "CC-BY-NC-SA-4.0", "CC-BY-ND-3.0",
	"CC-BY-ND-4.0", "CC-BY-SA-1.0", "CC-BY-SA-2.0", "CC-BY-SA-2.5", "CC-BY-SA-3.0",
	"CC-BY-SA-4.0", "CC0-1.0", "CDLA-Permissive-1.0", "CDLA-Sharing-1.0", "EUPL-1.2", "GPL-2.0-only", "GPL-3.0-only",
	"GPL-3.0-or-later", "MIT", "MPL-2.0", "NLOD-1.0", "ODbL-1.0", "ODC-By-1.0",
	"OGL-UK-1.0", "OGL-UK-2.0", "OGL-UK-3.0", "PDDL-1.0", "Unlicense", "etalab-2.0",
}

func (r *catalogue) knownLicence() bool { return slices.Contains(licences, r.Licence) }

// licenceAddress returns the URL of the licence's text; "" if it is not known.
func (r *catalogue) licenceAddress() string {
	switch {
	case isAddress(r.Licence):
		return r.Licence
	case r.knownLicence():
		return "https://spdx.org/licenses/" + r.Licence
	}
	return ""
}

// licenceName matches the licence names that a Data Package allows.
var licenceName = regexp.MustCompile(`^[-a-zA-Z0-9._]+$`)
