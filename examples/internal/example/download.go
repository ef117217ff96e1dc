package example

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
)

// download copies the table's files from the public archive into dir.
func (p place) download(ctx context.Context, dir string) error {
	if p.Archive == nil {
		return unavailablef("%s", p.NoArchive)
	}
	p.say("data: downloading %s", p.Archive.URL)
	content, err := p.Archive.get(ctx)
	if err != nil {
		return unavailable{err}
	}
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return unavailablef("not a ZIP archive")
	}
	for _, f := range p.Files {
		content, err := p.Archive.extract(archive, f.base())
		if err != nil {
			return unavailable{err}
		}
		if err := p.put(f.base(), filepath.Join(dir, f.name(f.base())), content); err != nil {
			return err
		}
	}
	return nil
}

func (a *Archive) get(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.URL, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answers %s", response.Status)
	}
	return a.read(response.Body)
}

func (a *Archive) extract(archive *zip.Reader, name string) ([]byte, error) {
	file, err := archive.Open(name)
	if err != nil {
		return nil, fmt.Errorf("the archive holds no %s", name)
	}
	defer file.Close()
	return a.read(file)
}

// read reads all of r. It returns an error if r is larger than an archive may be.
func (a *Archive) read(r io.Reader) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, a.MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > a.MaxBytes {
		return nil, fmt.Errorf("more than %d bytes", a.MaxBytes)
	}
	return content, nil
}
