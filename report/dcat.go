package report

import (
	"net/url"
	"strings"
)

// dcat returns the release as a schema.org Dataset that is also a DCAT Dataset, for search engines and data portals.
// DCAT takes titles, descriptions and licences from Dublin Core, so these are stated in both vocabularies.
func (r *catalogue) dcat() object {
	files, variables := []object{}, []object{}
	for _, t := range r.Tables {
		for _, f := range t.Files {
			files = append(files, r.distribution(&t, f))
		}
		for _, c := range t.Columns {
			v := object{"@type": "PropertyValue", "name": t.Name + "." + c.Name, "description": c.Description}
			variables = append(variables, v.set("unitText", c.Unit))
		}
	}
	about := strings.TrimSpace(r.Description + " " + r.Guarantee)
	d := object{
		"@context": dcatContext(), "@type": []string{"Dataset",
			"dcat:Dataset"}, "name": r.Title, "identifier": r.Slug, "description": about,
		"measurementTechnique": r.Guarantee, "keywords": []string{"differential privacy"}, "isAccessibleForFree": true,
		"variableMeasured": variables,
		"distribution":     files, "dcat:distribution": files,
		"dct:title": r.Title, "dct:identifier": r.Slug, "dct:description": about, "dcat:keyword": "differential privacy",
	}
	if len(r.Creators) > 0 {
		d["creator"], d["publisher"] = organisations(r.Creators), organisations(r.Creators[:1])[0]
		d["dct:publisher"] = object{"@type": "foaf:Organization", "foaf:name": r.Creators[0]}
	}
	if address := r.licenceAddress(); address != "" {
		d["license"], d["dct:license"] = address, object{"@id": address}
	} else {
		d.set("license", r.Licence).set("dct:rights", r.Licence)
	}
	if r.Published != "" {
		d["datePublished"], d["dct:issued"] = r.Published, object{"@type": "xsd:date", "@value": r.Published}
	}
	if isAddress(r.Address) {
		d["url"], d["dcat:landingPage"] = r.Address, object{"@id": r.Address}
	}
	return d.set("spatialCoverage", r.Region)
}

func dcatContext() object {
	return object{
		"@vocab": "https://schema.org/", "dcat": "http://www.w3.org/ns/dcat#", "dct": "http://purl.org/dc/terms/",
		"foaf": "http://xmlns.com/foaf/0.1/", "spdx": "http://spdx.org/rdf/terms#",
		"xsd": "http://www.w3.org/2001/XMLSchema#",
	}
}

// distribution returns the description of one file of a table. Its URL is relative, so that the folder may be anywhere.
func (r *catalogue) distribution(t *catalogueTable, f catalogueFile) object {
	at := url.PathEscape(f.Path)
	d := object{
		"@id": at, "@type": []string{"DataDownload",
			"dcat:Distribution"}, "name": f.Path, "description": t.Description, "contentUrl": at,
		"encodingFormat": f.mediaType(), "sha256": f.SHA256,
		"dct:title": f.Path, "dct:description": t.Description, "dcat:accessURL": object{"@id": at},
		"dcat:downloadURL": object{"@id": at},
		"dcat:mediaType":   object{"@id": "https://www.iana.org/assignments/media-types/" + f.mediaType()},
		"spdx:checksum": object{"@type": "spdx:Checksum", "spdx:algorithm": object{"@id": "spdx:checksumAlgorithm_sha256"},
			"spdx:checksumValue": object{"@type": "xsd:hexBinary", "@value": f.SHA256}},
	}
	if address := r.licenceAddress(); address != "" {
		d["dct:license"] = object{"@id": address}
	}
	return d
}

func organisations(names []string) []object {
	var out []object
	for _, n := range names {
		out = append(out, object{"@type": "Organization", "name": n})
	}
	return out
}
