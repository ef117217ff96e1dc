package catalogue

// dcat is the release as a schema.org Dataset that is a DCAT one too, for search engines and data portals.
func (r *Release) dcat() object {
	var files, variables []object
	for _, t := range r.Tables {
		for _, f := range t.Files {
			files = append(files, object{
				"@type": []string{"DataDownload", "dcat:Distribution"}, "name": f.Path, "description": t.Description, "contentUrl": f.Path, "encodingFormat": f.mediaType(), "sha256": f.SHA256,
			})
		}
		for _, c := range t.Columns {
			v := object{"@type": "PropertyValue", "name": t.Name + "." + c.Name, "description": c.Description}
			variables = append(variables, v.set("unitText", c.Unit))
		}
	}
	d := object{
		"@context": object{"@vocab": "https://schema.org/", "dcat": "http://www.w3.org/ns/dcat#", "dct": "http://purl.org/dc/terms/"},
		"@type":    []string{"Dataset", "dcat:Dataset"}, "name": r.Title, "identifier": r.Slug, "description": r.Description, "measurementTechnique": r.Guarantee,
		"keywords": []string{"differential privacy"}, "isAccessibleForFree": true, "distribution": files, "variableMeasured": variables,
	}
	if len(r.Creators) > 0 {
		d["creator"], d["publisher"] = organisations(r.Creators), organisations(r.Creators[:1])[0]
	}
	d.set("license", r.Licence).set("url", r.Address).set("datePublished", r.Published).set("spatialCoverage", r.Region)
	return d
}

func organisations(names []string) []object {
	var out []object
	for _, n := range names {
		out = append(out, object{"@type": "Organization", "name": n})
	}
	return out
}

// croissantContext is the context that Croissant 1.0 prescribes.
func croissantContext() object {
	c := object{
		"@language": "en", "@vocab": "https://schema.org/", "cr": "http://mlcommons.org/croissant/", "rai": "http://mlcommons.org/croissant/RAI/", "dct": "http://purl.org/dc/terms/",
		"sc": "https://schema.org/", "conformsTo": "dct:conformsTo",
		"data": object{"@id": "cr:data", "@type": "@json"}, "examples": object{"@id": "cr:examples", "@type": "@json"}, "dataType": object{"@id": "cr:dataType", "@type": "@vocab"},
	}
	for _, term := range []string{
		"citeAs", "column", "extract", "field", "fileProperty", "fileObject", "fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path",
		"recordSet", "references", "regex", "repeated", "replace", "separator", "source", "subField", "transform",
	} {
		c[term] = "cr:" + term
	}
	return c
}

// croissant is the release by Croissant 1.0 (MLCommons): its files, and a record set for each table, of its first file that is CSV or Parquet.
func (r *Release) croissant() object {
	files, sets := []object{}, []object{}
	for _, t := range r.Tables {
		var source *File
		for i := range t.Files {
			f := &t.Files[i]
			files = append(files, object{
				"@type": "cr:FileObject", "@id": f.Path, "name": f.Path, "contentUrl": f.Path, "encodingFormat": f.mediaType(), "sha256": f.SHA256,
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
		"@context": croissantContext(), "@type": "sc:Dataset", "conformsTo": "http://mlcommons.org/croissant/1.0", "name": r.Slug, "description": r.Description + " " + r.Guarantee,
		"version": "1.0.0", "citeAs": r.cite(), "distribution": files, "recordSet": sets,
	}
	if len(r.Creators) > 0 {
		d["creator"] = organisations(r.Creators)
	}
	return d.set("license", r.Licence).set("url", r.Address).set("datePublished", r.Published)
}

func (t *Table) recordSet(f *File) object {
	var fields, keys []object
	for i, c := range t.Columns {
		column := c.Name
		if f.format() == "csv" {
			column = f.inCSV(column)
		}
		id := t.Name + "/" + nameOf(c.Name, i)
		fields = append(fields, object{
			"@type": "cr:Field", "@id": id, "name": id, "description": c.text(), "dataType": []string{"sc:Text", "sc:Integer", "sc:Float"}[c.Type],
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
