package configs

// Deployment holds facts that readers of the release should know and the program cannot know. They appear in the
// manifest's privacy block and in the record for registries of deployments. They are public and do not change the
// answers.
type Deployment struct {
	// Description of the release in a sentence or two.
	Description string `yaml:"description,omitempty" example:"Trips by borough and hour."`
	// IntendedUse is the purpose of the release.
	IntendedUse string `yaml:"intended_use,omitempty" example:"Planning of taxi ranks."`
	// Curators are the organizations that hold the data and publish the release.
	Curators []string `yaml:"curators,omitempty" example:"[City of New York]"`
	// Region that the data cover.
	Region string `yaml:"region,omitempty" example:"New York City"`
	// Sector of the curators.
	Sector string `yaml:"sector,omitempty" example:"Transportation"`
	// Contact for questions.
	Contact string `yaml:"contact,omitempty" example:"data@example.org"`
	// Authors of this statement.
	Authors []string `yaml:"authors,omitempty" example:"[Data office]"`
	// Slug is the record's name in URLs. If it is absent, it is made from the job's name.
	Slug string `yaml:"slug,omitempty" example:"nyc-taxi-trips"`
	// Licence of the release: an identifier of the SPDX list, or a URL.
	Licence string `yaml:"licence,omitempty" example:"CC-BY-4.0"`
	// Address is the URL where the release is published.
	Address string `yaml:"address,omitempty" example:"https://example.org/data/trips"`
	// Published is the day of publication, for citations: YYYY-MM-DD.
	Published string `yaml:"published,omitempty" example:"2026-11-22"`
	// UnitIsPerson is yes if the privacy unit is a person.
	UnitIsPerson string `yaml:"unit_is_person,omitempty" enum:"yes|no|unknown" default:"unknown"`
	// NotProtected lists facts that the guarantee does not cover.
	NotProtected []string `yaml:"not_protected,omitempty" example:"[habits of a cab over many hours]"`
	// Unprotected are exact numbers on the same data that were published elsewhere.
	Unprotected []string `yaml:"unprotected,omitempty" example:"[the yearly number of trips]"`
	// DataDomain describes which tables are possible.
	DataDomain string `yaml:"data_domain,omitempty" example:"All trips of licensed cabs."`
	// HowChosen describes how bounds, keys and budget were chosen.
	HowChosen string `yaml:"how_chosen,omitempty" example:"From the street map and the rules of the trade."`
	// Tuning lists the settings that were tuned on private data, and what the ledger was charged for it.
	Tuning string `yaml:"tuning,omitempty" example:"Nothing was set on the private data."`
	// FixedInAdvance is true if the schedule of all releases was fixed before the first release.
	FixedInAdvance bool `yaml:"fixed_in_advance,omitempty" example:"true"`
	// Actors are the people and services that handle the data, and what each is trusted with.
	Actors string `yaml:"actors,omitempty" example:"The city holds the data and runs the program; the public sees the release."`
	// Custody is how long the data are kept, and who can read them.
	Custody string `yaml:"custody,omitempty" example:"Kept for 90 days; read by two operators."`
	// Justification of the choices.
	Justification string `yaml:"justification,omitempty" example:"Epsilon as in comparable releases."`
}
