package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Parse parses a release.json. Its errors quote nothing of the text.
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
		return decode(text)
	}
	return Manifest{}, errors.New("has another format than " + Format + ": a newer version of the program may read it")
}

// unreadable returns the error for a text that is not one complete JSON value.
func unreadable(text []byte) error {
	var whole json.RawMessage
	d := json.NewDecoder(bytes.NewReader(text))
	if d.Decode(&whole) == nil && len(bytes.TrimSpace(text[d.InputOffset():])) > 0 {
		return errors.New("has something after its end")
	}
	return errors.New("is damaged, or of another version")
}

// decode decodes one manifest. Unknown keys and text after the manifest are errors.
func decode(text []byte) (m Manifest, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return m, errors.New("is damaged, or of another version")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return m, errors.New("has something after its end")
	}
	return m, nil
}
