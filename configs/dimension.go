package configs

// Dimension is one axis of the answer. The job defines its cells by exactly one of values, edges, from/to/width,
// from/to/every, part, values_from, nearest and grid. Or keys: discover takes them from the private data, which costs a
// share of delta.
type Dimension struct {
	// Column whose values are assigned to the cells. The forms nearest and grid name their own columns instead.
	Column string `yaml:"column,omitempty" example:"sex"`
	// Values are the cells in order: a list, or a mapping from each cell to the texts that belong to it.
	Values Values `yaml:"values,omitempty" example:"{\"<=50K\": [\"<=50K\", \"<=50K.\"], \">50K\": [\">50K\", \">50K.\"]}"`
	// Edges of the cells, ascending. Each cell is [a, b); the last one is [a, b] unless last_edge says otherwise. They
	// are numbers, or dates and times such as 2013-01-31. The release names the edges of a cell NAME_from and NAME_to,
	// or NAME_before with last_edge: excluded.
	Edges []Scalar `yaml:"edges,omitempty" example:"[0, 18, 30, 65]"`
	// From is the first edge of cells of equal width, or the first day of calendar cells.
	From *Scalar `yaml:"from,omitempty" example:"0"`
	// To is the last edge of cells of equal width, or the day after the last calendar cell.
	To *Scalar `yaml:"to,omitempty" example:"100"`
	// Width of each cell; it divides to - from evenly.
	Width *Scalar `yaml:"width,omitempty" example:"5"`
	// Every makes calendar cells between two dates: each begins a day, a week, a month, a quarter or a year after the
	// one before. There must be a whole number of steps between from and to. Every cell is [a, b).
	Every string `yaml:"every,omitempty" enum:"day|week|month|quarter|year" example:"month"`
	// LastEdge is `included` if the last cell includes its upper edge; included if it is absent. With excluded, every
	// cell is [a, b), and a value equal to the last edge or an infinite value is in no cell.
	LastEdge string `yaml:"last_edge,omitempty" enum:"included|excluded" example:"excluded"`
	// Part of a time.
	Part string `yaml:"part,omitempty" enum:"minute_of_hour|hour_of_day|hour_of_week|day_of_week|day_of_month|week_of_year|month|quarter" example:"hour_of_day"`
	// ValuesFrom takes the cells from a column of a public file.
	ValuesFrom *ValuesFrom `yaml:"values_from,omitempty" example:"{file: cities.csv, column: name}"`
	// Nearest assigns each position to the nearest public point within a distance.
	Nearest *Nearest `yaml:"nearest,omitempty" example:"{lat: lat, lon: lon, points: junctions.csv, id: junction, within_m: 150, kernel: {bandwidth_m: 150}}"`
	// Grid cuts a box of latitudes and longitudes into equal cells.
	Grid *Grid `yaml:"grid,omitempty" example:"{lat: lat, lon: lon, south: 40.7, west: -74.02, north: 40.88, east: -73.9, rows: 64, cols: 64}"`
	// Keys: discover takes the cells from the data, privately (private partition selection). Each unit counts once in
	// at most max_groups keys (per_unit, required). Noise is added to the count of every key in the data. The keys
	// whose noisy counts reach a threshold are published, sorted. Keys are strings of at most 1024 bytes, integers,
	// booleans, dates or times. A histogram counts the units of each key and selects. Sums, means and variances whose
	// by begins with the same dimensions are answered for the keys that the histogram selects.
	Keys string `yaml:"keys,omitempty" enum:"discover" example:"discover"`
	// Fold names the differences between texts that are ignored, in values, values_from and keys: discover: `case`
	// (North and NORTH), `space` (blanks at the ends, and how many there are between words) and `accents` (Sud and
	// Süd). Discovered keys are published as folded.
	Fold []string `yaml:"fold,omitempty" enum:"case|space|accents" example:"[case, space]"`
	// Levels groups the cells, for crosstabs, which then publish a table for each level. Beside values_from they are
	// columns of its file, from the coarsest to the column of the cells; beside every they are calendar steps, from the
	// coarsest to the step of the cells. Each group lies within one group of the level before.
	Levels []string `yaml:"levels,omitempty" example:"[region, county, municipality]"`
	// As is the name of the key column in the release; the column's name if it is absent.
	As string `yaml:"as,omitempty" example:"gender"`
	// Null is what happens to a row whose value is null: `drop` it, or count it in a cell "null" (`bin`).
	Null string `yaml:"null,omitempty" enum:"drop|bin" default:"drop"`
	// Other is what happens to a row whose value is in no cell: `drop` it, or count it in a cell "other" (`bin`).
	Other string `yaml:"other,omitempty" enum:"drop|bin" default:"drop"`
}

// forms are the ways to define the cells of a dimension, with the keys of each. To add a way, add it here.
var forms = []struct {
	name string
	keys []string
}{
	{"values", []string{"values"}},
	{"edges", []string{"edges"}},
	{"from/to/width or from/to/every", []string{"from", "to", "width", "every"}},
	{"part", []string{"part"}},
	{"values_from", []string{"values_from"}},
	{"nearest", []string{"nearest"}},
	{"grid", []string{"grid"}},
	{"keys", []string{"keys"}},
}

// FormKeys returns the keys that define the cells of a dimension by themselves, such as values and edges.
func FormKeys() (keys []string) {
	for _, f := range forms {
		if len(f.keys) == 1 {
			keys = append(keys, f.name)
		}
	}
	return keys
}

// Values are the cells of a dimension, in order: a list, or a mapping from each cell to its aliases.
type Values []Label

// Label is one cell and the source texts that belong to it.
type Label struct {
	// Name of the cell in the release.
	Name Scalar
	// Members are the values of the column that belong to the cell. There is at least one.
	Members []Scalar
}

// ValuesFrom takes the cells from a column of a public file.
type ValuesFrom struct {
	// File with the values, relative to the job file: .parquet, .csv, .csv.gz or .csv.zst. It must hold nothing
	// private.
	File string `yaml:"file" example:"cities.csv"`
	// Column of the file.
	Column string `yaml:"column" example:"name"`
}

// Nearest assigns the nearest public point within a distance.
type Nearest struct {
	// Lat is the column of latitudes, in degrees.
	Lat string `yaml:"lat" example:"lat"`
	// Lon is the column of longitudes, in degrees.
	Lon string `yaml:"lon" example:"lon"`
	// Points is the public file of the points, relative to the job file, with columns of the same names.
	Points string `yaml:"points" example:"junctions.csv"`
	// ID is the column of the points' file that names them.
	ID string `yaml:"id" example:"junction"`
	// WithinM is the largest distance, in metres.
	WithinM Decimal `yaml:"within_m" example:"150"`
	// Kernel spreads each row over the points around its own.
	Kernel *Kernel `yaml:"kernel,omitempty" example:"{bandwidth_m: 150}"`
}

// Kernel spreads each row over the points around its nearest point, with weights that sum to at most 1. The sensitivity
// uses the largest norm of a point's weights instead of 1, so a wider kernel needs less noise. In histograms only, with
// null: drop and other: drop.
type Kernel struct {
	// BandwidthM is the standard deviation, in metres, of the normal density of the weights. It is cut off at four
	// standard deviations.
	BandwidthM Decimal `yaml:"bandwidth_m" example:"150"`
}

// Grid is rows x cols equal cells of a latitude-longitude box.
type Grid struct {
	// Lat is the column of latitudes, in degrees.
	Lat string `yaml:"lat" example:"lat"`
	// Lon is the column of longitudes, in degrees.
	Lon string `yaml:"lon" example:"lon"`
	// South edge of the box, in degrees.
	South Decimal `yaml:"south" example:"40.7"`
	// West edge of the box, in degrees.
	West Decimal `yaml:"west" example:"-74.02"`
	// North edge of the box, in degrees.
	North Decimal `yaml:"north" example:"40.88"`
	// East edge of the box, in degrees.
	East Decimal `yaml:"east" example:"-73.9"`
	// Rows of the grid, from south to north.
	Rows int `yaml:"rows" min:"1" example:"64"`
	// Cols of the grid, from west to east.
	Cols int `yaml:"cols" min:"1" example:"64"`
}

// Expanded returns the edges of a dimension as source texts: the edges of the job, or the edges computed from from, to
// and width (in exact decimal arithmetic) or from, to and every. It returns nil if the dimension has no edges.
func (d Dimension) Expanded() []Scalar {
	if d.From == nil || d.To == nil {
		return d.Edges
	}
	found, flaw := d.computed()
	if flaw != nil {
		return nil
	}
	var out []Scalar
	for _, e := range found {
		out = append(out, Scalar(e))
	}
	return out
}

// FirstEdge returns the first edge of a dimension, as the job writes it, or nil if the dimension has no edges. Use it
// if the other edges do not matter: [Dimension.Expanded] computes up to a million of them.
func (d Dimension) FirstEdge() *Scalar {
	if d.From == nil && len(d.Edges) > 0 {
		return &d.Edges[0]
	}
	return d.From
}

// HalfOpen reports whether no cell includes its upper edge.
func (d Dimension) HalfOpen() bool { return d.LastEdge == "excluded" || d.Every != "" }

// computed returns the edges between from and to. It returns nil if there is neither a width nor a calendar step.
func (d *Dimension) computed() ([]string, *flaw) {
	switch {
	case d.Every != "":
		return byCalendar(string(*d.From), string(*d.To), d.Every)
	case d.Width != nil:
		return byWidth(string(*d.From), string(*d.To), string(*d.Width))
	}
	return nil, nil
}
