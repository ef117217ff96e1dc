package configs

// Deployment is what a reader of the release should know and the program cannot. It appears in the manifest's privacy
// block and in the record for registries of deployments. It is public. It does not change the answers.
type Deployment struct {
	// Description of the release in a sentence or two.
	Description string `yaml:"description,omitempty" example:"Trips by borough and hour."`
	// IntendedUse says what the release is for.
	IntendedUse string `yaml:"intended_use,omitempty" example:"Planning of taxi ranks."`
	// Curators are who holds the data and publishes the release.
	Curators []string `yaml:"curators,omitempty" example:"[City of New York]"`
	// Region that the data cover.
	Region string `yaml:"region,omitempty" example:"New York City"`
	// Sector of the curators.
	Sector string `yaml:"sector,omitempty" example:"Transportation"`
	// Contact for questions.
	Contact string `yaml:"contact,omitempty" example:"data@example.org"`
	// Authors of this statement.
	Authors []string `yaml:"authors,omitempty" example:"[Data office]"`
	// Slug is the record's name in addresses; made from the job's name if it is absent.
	Slug string `yaml:"slug,omitempty" example:"nyc-taxi-trips"`
	// Licence of the release: an identifier of the SPDX list, or an address.
	Licence string `yaml:"licence,omitempty" example:"CC-BY-4.0"`
	// Address where the release is published.
	Address string `yaml:"address,omitempty" example:"https://example.org/data/trips"`
	// Published is the day of publication, for citations: YYYY-MM-DD.
	Published string `yaml:"published,omitempty" example:"2026-11-22"`
	// UnitIsPerson says whether the privacy unit is a person.
	UnitIsPerson string `yaml:"unit_is_person,omitempty" enum:"yes|no|unknown" default:"unknown"`
	// NotProtected is what the guarantee does not cover.
	NotProtected []string `yaml:"not_protected,omitempty" example:"[habits of a cab over many hours]"`
	// Unprotected are exact numbers on the same data that were published elsewhere.
	Unprotected []string `yaml:"unprotected,omitempty" example:"[the yearly number of trips]"`
	// DataDomain says which tables are possible.
	DataDomain string `yaml:"data_domain,omitempty" example:"All trips of licensed cabs."`
	// HowChosen says how bounds, keys and budget were chosen.
	HowChosen string `yaml:"how_chosen,omitempty" example:"From the street map and the rules of the trade."`
	// Tuning says what was set on private data, and what that was charged.
	Tuning string `yaml:"tuning,omitempty" example:"Nothing was set on the private data."`
	// FixedInAdvance says that the schedule of all releases was fixed before the first.
	FixedInAdvance bool `yaml:"fixed_in_advance,omitempty" example:"true"`
	// Actors are who handles the data, and who is trusted with what.
	Actors string `yaml:"actors,omitempty" example:"The city holds the data and runs the program; the public sees the release."`
	// Custody says how long the data are kept, and who can read them.
	Custody string `yaml:"custody,omitempty" example:"Kept for 90 days; read by two operators."`
	// Justification of the choices.
	Justification string `yaml:"justification,omitempty" example:"Epsilon as in comparable releases."`
}
