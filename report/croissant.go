package report

// croissantContext returns the context that Croissant 1.0 prescribes.
func croissantContext() object {
	c := object{
		"@language": "en", "@vocab": "https://schema.org/", "cr": "http://mlcommons.org/croissant/",
		"rai": "http://mlcommons.org/croissant/RAI/", "dct": "http://purl.org/dc/terms/",
		"sc": "https://schema.org/", "conformsTo": "dct:conformsTo",
		"data": object{"@id": "cr:data", "@type": "@json"}, "examples": object{"@id": "cr:examples",
			"@type": "@json"}, "dataType": object{"@id": "cr:dataType", "@type": "@vocab"},
	}
	for _, term := range []string{
		"citeAs", "column", "extract", "field", "fileProperty", "fileObject", "fileSet", "format", "includes",
		"isLiveDataset", "jsonPath", "key", "md5", "parentField", "path",
		"recordSet", "references", "regex", "repeated", "replace", "separator", "source", "subField", "transform",
	} {
		c[term] = "cr:" + term
	}
	return c
}

// croissant returns the description of the release in the format Croissant 1.0 (MLCommons). It lists all files, and
// describes for each table the columns of its first CSV or Parquet file.
func (r *catalogue) croissant() object {
	files, sets := []object{}, []object{}
	for _, t := range r.Tables {
		var source *catalogueFile
		for i := range t.Files {
			f := &t.Files[i]
			files = append(files, object{
				"@type": "cr:FileObject", "@id": f.Path, "name": f.Path, "contentUrl": f.Path, "encodingFormat": f.croissantType(),
				"sha256": f.SHA256,
			})
			if k := f.format(); k == "parquet" || k == "csv" && (source == nil || source.format() != "parquet") {
				source = f
			}
		}
		if source == nil {
			continue
		}
		sets = append(sets, t.recordSet(source))
	}
	d := object{
		"@context": croissantContext(), "@type": "sc:Dataset", "conformsTo": "http://mlcommons.org/croissant/1.0",
		"name": r.Slug, "description": r.Description + " " + r.Guarantee,
		"version": "1.0.0", "citeAs": r.cite(), "distribution": files, "recordSet": sets,
	}
	if len(r.Creators) > 0 {
		d["creator"] = organisations(r.Creators)
	}
	if address := r.licenceAddress(); address != "" {
		d["license"] = address
	} else {
		d.set("license", r.Licence)
	}
	if isAddress(r.Address) {
		d["url"] = r.Address
	}
	return d.set("datePublished", r.Published)
}

// croissantType returns the file's media type. Croissant's readers know Parquet by its unregistered media type.
func (f catalogueFile) croissantType() string {
	if f.format() == "parquet" {
		return "application/x-parquet"
	}
	return f.mediaType()
}

func (t *catalogueTable) recordSet(f *catalogueFile) object {
	var fields, keys []object
	for i, c := range t.Columns {
		column := c.Name
		if f.format() == "csv" {
			column = f.inCSV(column)
		}
		id := t.Name + "/" + nameOf(c.Name, i)
		fields = append(fields, object{
			"@type": "cr:Field", "@id": id, "name": id, "description": c.words(), "dataType": []string{"sc:Text", "sc:Integer",
				"sc:Float"}[c.Type],
			"source": object{"fileObject": object{"@id": f.Path}, "extract": object{"column": column}},
		})
		if c.Key {
			keys = append(keys, object{"@id": id})
		}
	}
	set := object{"@type": "cr:RecordSet", "@id": t.Name, "name": t.Name, "description": t.Description, "field": fields}
	if len(keys) > 0 {
		set["key"] = keys
	}
	return set
}
