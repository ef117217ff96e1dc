package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Parse reads the text of a release.json of either format. Errors are in our own words and quote nothing of the text.
func Parse(text []byte) (Manifest, error) {
	var head struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return Manifest{}, unreadable(text)
	}
	switch head.Format {
	case SyntheticFormat:
		return Manifest{}, ErrSynthetic
	case Format:
		var m Manifest
		err := decode(text, &m)
		return m, err
	case format1:
		var old manifest1
		if err := decode(text, &old); err != nil {
			return Manifest{}, err
		}
		return old.upgrade(), nil
	}
	return Manifest{}, errors.New("has another format")
}

// unreadable is the error of a text that is no JSON as a whole.
func unreadable(text []byte) error {
	var whole json.RawMessage
	d := json.NewDecoder(bytes.NewReader(text))
	if d.Decode(&whole) == nil && len(bytes.TrimSpace(text[d.InputOffset():])) > 0 {
		return errors.New("has something after its end")
	}
	return errors.New("is damaged, or of another version")
}

// decode reads exactly one JSON value, all of whose keys are known.
func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return errors.New("is damaged, or of another version")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("has something after its end")
	}
	return nil
}
