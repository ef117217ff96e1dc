package source

import (
	"context"
	"crypto/sha256"
	"os"

	"github.com/dprelease/dprelease/io/table"
)

// parquetFile is an opened Parquet file. Its pages are decoded by parquet-go, behind a pageGuard, because an
// allocation that a damaged length asks for cannot be caught once it has failed.
type parquetFile struct {
	origin
	footer [sha256.Size]byte
	end    int64 // where the footer starts
	groups []rowGroup
	leaves []leaf

	templates templates
}

func openParquet(path string, mac blockMAC) (file, *Error) {
	p := &parquetFile{origin: origin{path: path, mac: mac}}
	err := guard(func() error {
		f, err := os.Open(path)
		if err != nil {
			return exists(err)
		}
		defer f.Close()
		return p.load(f)
	})
	if err != nil {
		return nil, own(err)
	}
	return p, nil
}

// load reads the footer.
func (p *parquetFile) load(f *os.File) error {
	if err := p.stat(f); err != nil {
		return err
	}
	raw, err := readFooter(f, p.size)
	if err != nil {
		return err
	}
	p.footer, p.end = sha256.Sum256(raw), p.size-int64(len(raw))
	meta, err := decodeFooter(raw)
	if err != nil {
		return err
	}
	leaves := 0
	if p.leaves, leaves, err = leavesOf(meta.Schema); err != nil {
		return err
	}
	for i := range p.leaves {
		p.leaves[i].order(meta.ColumnOrders)
	}
	if p.groups, err = rowGroupsOf(meta, leaves); err != nil {
		return err
	}
	return unique(p.schema())
}

// unique refuses a schema with two columns of one name.
func unique(s table.Schema) error {
	seen := map[string]int{}
	for i, f := range s.Fields {
		if at, twice := seen[f.Name]; twice {
			return fault(CodeHeader, "columns %d and %d have the same name", at+1, i+1)
		}
		seen[f.Name] = i
	}
	return nil
}

func (p *parquetFile) schema() table.Schema {
	s := table.Schema{Fields: make([]table.Field, len(p.leaves))}
	for i, l := range p.leaves {
		s.Fields[i] = l.field
	}
	return s
}

func (p *parquetFile) splits() int { return len(p.groups) }

func (p *parquetFile) public(string) bool { return true }

// reopen opens the file and checks that it is the one whose footer we know.
func (p *parquetFile) reopen() (*os.File, error) {
	return p.origin.reopen(func(f *os.File) bool {
		raw, err := readFooter(f, p.size)
		return err == nil && sha256.Sum256(raw) == p.footer
	})
}

// read implements file.
func (p *parquetFile) read(ctx context.Context, split int, columns []string, yield func(*table.Batch) error) ([]byte, error) {
	sum, _, err := p.readWhere(ctx, request{split: split, columns: columns}, yield)
	return sum, err
}

// readWhere implements footed.
func (p *parquetFile) readWhere(ctx context.Context, r request, yield func(*table.Batch) error) ([]byte, int64, error) {
	f, err := p.reopen()
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	s, err := p.newScan(ctx, f, r)
	if err != nil {
		return nil, 0, err
	}
	defer s.close()
	if err := s.open(); err != nil {
		return nil, 0, err
	}
	for _, r := range s.readers {
		prefetch(f, r.guard.raw.section.at, r.guard.raw.left)
	}
	if err := s.run(yield); err != nil {
		return nil, 0, err
	}
	sum, err := s.sum()
	return sum, s.skipped, err
}

// digest implements file.
func (p *parquetFile) digest(ctx context.Context, split int, columns []string) ([]byte, error) {
	return p.digestWhere(ctx, request{split: split, columns: columns})
}

// digestWhere implements footed.
func (p *parquetFile) digestWhere(ctx context.Context, r request) ([]byte, error) {
	f, err := p.reopen()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := p.newScan(ctx, f, r)
	if err != nil {
		return nil, err
	}
	defer s.close()
	return s.sum()
}
