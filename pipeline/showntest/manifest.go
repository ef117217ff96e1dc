package showntest

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Manifest masks the fields of a manifest that may depend on noisy values, so that the rest can be compared: digests of
// files, row counts of files that omit rows, choices of denoising and expected errors, numbers of cells and rows of
// selected keys, and the noisy histogram of a search for a clamp with its results. The values of the keys in without
// are masked too.
func Manifest(text []byte, without ...string) ([]byte, error) {
	var m map[string]any
	if err := decode(text, &m); err != nil {
		return nil, err
	}
	mask(m, without...)
	queries, _ := m["queries"].([]any)
	for _, q := range queries {
		q, ok := q.(map[string]any)
		if !ok {
			continue
		}
		job := jobOf(m, q["name"])
		_, chosen := job["denoise"]
		_, selects := q["selection"]
		_, follows := q["keys_of"]
		selected := selects || follows
		sparse, _ := job["sparse"].(bool)
		if chosen {
			mask(q, "denoise_notes")
			if e, ok := q["expected_error"].(map[string]any); ok {
				mask(e, "rmse", "low", "high")
			}
		}
		if selected {
			mask(q, "cells")
		}
		maskFound(q)
		files, _ := q["files"].([]any)
		for _, f := range files {
			if f, ok := f.(map[string]any); ok {
				mask(f, "sha256")
				if sparse || selected {
					mask(f, "rows")
				}
			}
		}
	}
	documents, _ := m["documents"].([]any) // the sizes and digests of documents depend on noisy values
	for _, d := range documents {
		if d, ok := d.(map[string]any); ok {
			mask(d, "sha256")
		}
	}
	return json.MarshalIndent(m, "", " ")
}

// maskFound masks what a search for a query's clamp or row bound found: its noisy histogram, its result, and the noise
// and error of the answers under it. The charges of the histogram and of the answers stay.
func maskFound(q map[string]any) {
	search, found := q["discovered_clamp"].(map[string]any)
	if rows, ok := q["discovered_max_rows"].(map[string]any); ok {
		search, found = rows, true
	}
	if !found {
		return
	}
	mask(search, "noisy_histogram", "low", "high", "clamp", "max_rows", "found")
	mask(q, "ci95_half_width", "expected_error")
	mechanisms, _ := q["mechanisms"].([]any)
	for _, m := range mechanisms {
		if m, ok := m.(map[string]any); ok && m["follows"] != nil {
			mask(m, "grid", "sensitivity", "sigma", "standard_deviation")
		}
	}
}

// jobOf returns the query called name from a manifest's copy of the job.
func jobOf(m map[string]any, name any) map[string]any {
	job, _ := m["job"].(map[string]any)
	queries, _ := job["queries"].([]any)
	for _, q := range queries {
		if q, ok := q.(map[string]any); ok && q["name"] == name {
			return q
		}
	}
	return nil
}

// Masked replaces the values of some top-level keys of a JSON object by a mark.
func Masked(text []byte, keys ...string) ([]byte, error) {
	var m map[string]any
	if err := decode(text, &m); err != nil {
		return nil, err
	}
	mask(m, keys...)
	return json.Marshal(m)
}

// mask replaces the values of keys by a mark. It adds no missing key: whether a key exists must not depend on the rows
// either.
func mask(m map[string]any, keys ...string) {
	for k := range m {
		if slices.Contains(keys, k) {
			m[k] = "…"
		}
	}
}

func decode(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(to)
}
