package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/queries/domain"
)

func (b *builder) dimensions(by []configs.Dimension, path string) []domain.Dimension {
	var out []domain.Dimension
	for k := range by {
		out = append(out, b.dimension(&by[k], fmt.Sprintf("%s.by[%d]", path, k)))
	}
	return out
}

func (b *builder) dimension(d *configs.Dimension, path string) domain.Dimension {
	out := domain.Dimension{
		Column: d.Column, As: d.As, Edges: texts(d.Expanded()), TimeField: d.Part,
		LastOpen: d.HalfOpen(), Null: policy(d.Null), Other: policy(d.Other), Discover: d.Keys != "",
		Fold: domain.Fold{Case: slices.Contains(d.Fold, "case"), Space: slices.Contains(d.Fold, "space"),
			Accents: slices.Contains(d.Fold, "accents")},
	}
	for _, v := range d.Values {
		out.Labels = append(out.Labels, domain.Label{Name: string(v.Name), Members: texts(v.Members)})
	}
	switch {
	case d.ValuesFrom != nil && len(d.Levels) > 0:
		out.Labels, out.Levels = b.places(d.ValuesFrom, d.Levels, path)
	case d.ValuesFrom != nil:
		out.Labels = b.labelsFrom(d.ValuesFrom, path+".values_from")
	case len(d.Levels) > 0:
		out.Levels = calendarLevels(out.Edges, d.Levels)
	}
	if g := d.Grid; g != nil {
		out.Grid = &domain.Grid{
			Lat: g.Lat, Lon: g.Lon, South: string(g.South), West: string(g.West), North: string(g.North), East: string(g.East),
			Rows: g.Rows, Cols: g.Cols,
		}
	}
	if d.Nearest != nil {
		out.Nearest = b.nearest(d.Nearest, path+".nearest")
	}
	return out
}

// labelsFrom reads the labels of a dimension's cells from a public file of the job.
func (b *builder) labelsFrom(v *configs.ValuesFrom, path string) []domain.Label {
	unread := b.unread
	values, seen := b.publicColumn(v.File, v.Column, path), map[string]bool{}
	if len(values) == 0 && b.unread == unread {
		b.unreadable(path, fmt.Sprintf("column %s of %s has no values", v.Column, filepath.Base(v.File)),
			"write each cell's value in a row of its own, below the header")
	}
	labels := make([]domain.Label, len(values))
	for i, x := range values {
		if seen[x] {
			b.unreadable(path, fmt.Sprintf("column %s of %s has the value %q twice", v.Column, filepath.Base(v.File), shortKey(x)),
				"each cell stands there once")
			return nil
		}
		seen[x] = true
		labels[i] = domain.Label{Name: x, Members: []string{x}}
	}
	return labels
}

// nearest reads the public points of a dimension whose cells are the nearest points. Each has an identifier, and the
// columns lat and lon in decimal degrees.
func (b *builder) nearest(n *configs.Nearest, path string) *domain.Nearest {
	out := &domain.Nearest{Lat: n.Lat, Lon: n.Lon, Name: n.ID, WithinM: b.number(n.WithinM, path+".within_m")}
	if n.Kernel != nil {
		out.BandwidthM = b.number(n.Kernel.BandwidthM, path+".kernel.bandwidth_m")
	}
	unread := b.unread
	var columns [3][]string // identifier, latitude, longitude
	for i, column := range []string{n.ID, "lat", "lon"} {
		if columns[i] = b.wholeColumn(n.Points, column, path+".points"); b.unread > unread {
			return out
		}
	}
	ids, lats, lons := columns[0], columns[1], columns[2]
	if len(ids) != len(lats) || len(ids) != len(lons) {
		b.report(path+".points", "public-file", "a point lacks its identifier, lat or lon", "every row needs all three")
		return out
	}
	for i := range ids {
		lat, err1 := strconv.ParseFloat(lats[i], 64)
		lon, err2 := strconv.ParseFloat(lons[i], 64)
		if err1 != nil || err2 != nil {
			b.report(path+".points", "public-file", fmt.Sprintf("the coordinates of row %d are not numbers", i+1),
				"lat and lon are decimal degrees")
			return out
		}
		out.Points = append(out.Points, domain.Point{ID: ids[i], Lat: lat, Lon: lon})
	}
	return out
}

// private reports a public file that is also a file of the private input, perhaps by a link. This is an error of the
// job.
func (b *builder) private(file string) bool {
	path := b.job.Path(file)
	if store.IsAddress(path) {
		return slices.ContainsFunc(b.job.PrivateFiles(), func(pattern string) bool { return store.Covers(pattern, path) })
	}
	if slices.ContainsFunc(b.job.PrivateFiles(), func(pattern string) bool {
		pattern = b.job.Path(pattern)
		matches, err := filepath.Match(pattern, path)
		hidden := store.HasHiddenName(filepath.ToSlash(pattern), filepath.ToSlash(path))
		return pattern == path || err == nil && matches && !hidden
	}) {
		return true // whether the file is there, and can be found, or not
	}
	public, err := os.Stat(path)
	return err == nil && slices.ContainsFunc(b.inputFiles(), func(f os.FileInfo) bool { return os.SameFile(public, f) })
}

// inputFiles returns the files of the private input that are there. It looks them up once: there can be very many.
func (b *builder) inputFiles() []os.FileInfo {
	if b.inputs == nil {
		b.inputs = []os.FileInfo{}
		for _, pattern := range b.job.PrivateFiles() {
			files, _ := store.LocalFiles(b.job.Dir(), pattern) // a malformed pattern names no file
			for _, file := range files {
				if info, err := os.Stat(file); err == nil {
					b.inputs = append(b.inputs, info)
				}
			}
		}
	}
	return b.inputs
}

// publicColumn reads a column of a public file of the job, without its nulls; nil if it cannot be read. The contents
// become part of the run fingerprint.
func (b *builder) publicColumn(file, column, path string) []string {
	return b.publicValues(file, column, path, false)
}

// publicValues does the same as publicColumn, but if aligned is set, nulls become empty strings.
func (b *builder) publicValues(file, column, path string, aligned bool) []string {
	fault := func(code, message, hint string) []string {
		b.unread++
		use := path[:max(0, strings.LastIndexByte(path, '.'))] // the mapping whose keys name columns of the file
		if told := [3]string{use, file, message}; !slices.Contains(b.told, told) {
			b.told = append(b.told, told)
			b.report(path, code, message, hint)
		}
		return nil
	}
	if b.private(file) {
		return fault("contradiction", "a public file cannot be one of the private input",
			"keys come from public knowledge, never from the table; list them in a file of its own")
	}
	values, err := b.read(b.job.Path(file), column, aligned)
	if err != nil {
		return fault("public-file", err.Error(),
			"a public file is a CSV file in UTF-8 with commas and a header, to which input.csv does not apply, a Parquet or "+
				"an Arrow file, relative to the job file")
	}
	for i, v := range values {
		if !utf8.ValidString(v) {
			return b.unreadable(path, fmt.Sprintf("value %d of column %s is not UTF-8", i+1, column),
				"save the file as UTF-8")
		}
	}
	b.public = append(b.public, publicFile{File: store.WithoutQuery(file), Column: column, Values: values,
		Presents: b.presents})
	return values
}

// wholeColumn does the same as publicColumn for a column that is read together with others: a null is an error, so that
// the columns stay aligned.
func (b *builder) wholeColumn(file, column, path string) []string {
	values := b.publicValues(file, column, path, true)
	if i := slices.Index(values, ""); i >= 0 {
		return b.unreadable(path, fmt.Sprintf("row %d has no value in column %s", i+1, column),
			"every row needs a value in each column that is read")
	}
	return values
}

// unreadable reports a public file that cannot be read. Later problems that follow from its missing contents are not
// reported.
func (b *builder) unreadable(path, message, hint string) []string {
	b.unread++
	b.report(path, codePublicFile, message, hint)
	return nil
}
