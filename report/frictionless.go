package report

import "fmt"

// dataPackage returns the description of the release as a Data Package, version 2 (datapackage.org), with one resource
// for each file.
func (r *catalogue) dataPackage() object {
	p := object{
		"$schema": "https://datapackage.org/profiles/2.0/datapackage.json", "name": r.Slug, "title": r.Title,
		"description": r.Description + "\n\n" + r.Guarantee,
		"keywords":    []string{"differential privacy"}, "resources": r.resources(),
	}
	if l := r.licence(); l != nil {
		p["licenses"] = []object{l}
	}
	if people := r.contributors(); len(people) > 0 {
		p["contributors"] = people
	}
	if isAddress(r.Address) {
		p["homepage"] = r.Address
	}
	if r.Published != "" {
		p["created"] = r.Published + "T00:00:00Z"
	}
	return p
}

func (r *catalogue) licence() object {
	switch {
	case r.Licence == "":
		return nil
	case isAddress(r.Licence):
		return object{"path": r.Licence}
	case !licenceName.MatchString(r.Licence):
		return object{"name": slug(r.Licence), "title": r.Licence}
	}
	return object{"name": r.Licence}
}

func (r *catalogue) contributors() []object {
	var out []object
	for _, c := range r.Creators {
		out = append(out, object{"title": c, "roles": []string{"publisher"}})
	}
	for _, a := range r.Authors {
		out = append(out, object{"title": a, "roles": []string{"author"}})
	}
	return out
}

func (r *catalogue) resources() []object {
	var out []object
	taken := map[string]int{}
	for _, t := range r.Tables {
		for _, f := range t.Files {
			name := slug(t.Name) + "-" + f.format()
			if taken[name]++; taken[name] > 1 {
				name = fmt.Sprintf("%s-%d", name, taken[name])
			}
			resource := object{
				"name": name, "path": f.Path, "title": t.Name, "description": t.Description, "format": f.format(),
				"mediatype": f.mediaType(),
				"hash":      "sha256:" + f.SHA256, "schema": t.schema(f),
			}
			switch f.format() {
			case "csv":
				resource["type"], resource["encoding"] = "table", "utf-8"
				resource["dialect"] = object{"$schema": "https://datapackage.org/profiles/2.0/tabledialect.json", "delimiter": ",", "header": true, "quoteChar": `"`, "doubleQuote": true}
			case "json":
				resource["type"], resource["encoding"] = "table", "utf-8"
			}
			out = append(out, resource)
		}
	}
	return out
}

func (t *catalogueTable) schema(f catalogueFile) object {
	var fields []object
	keys := []string{}
	for _, c := range t.Columns {
		name := c.Name
		if f.format() == "csv" {
			name = f.inCSV(name)
		}
		field := object{"name": name, "type": []string{"string", "integer", "number"}[c.Type], "description": c.words()}
		if c.Key {
			keys = append(keys, name)
			field["constraints"] = object{"required": true}
			if c.Type == textColumn {
				delete(field, "constraints") // no constraint: the empty string is a label too
			}
		}
		fields = append(fields, field)
	}
	s := object{"$schema": "https://datapackage.org/profiles/2.0/tableschema.json", "fields": fields,
		"missingValues": []string{""}}
	if len(keys) > 0 {
		s["primaryKey"] = keys
	}
	return s
}
