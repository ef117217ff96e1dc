package arrow

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

const (
	// maxFields is the maximum number of fields in a schema. The length of a schema in bytes has no limit, since some
	// writers put facts about rows into its texts.
	maxFields = 1 << 20
	// arrowDepth is the maximum nesting of types that is read.
	arrowDepth = 32
	// minField is less than the bytes of any valid field in a schema. It bounds memory: decoding a field allocates
	// about 500 bytes.
	minField = 16
	// maxShared limits the total length of a schema's texts to a multiple of the schema's length: several fields can
	// refer to one text, and the library copies the text for each.
	maxShared = 8
)

// The slots of the fields in the tables of a schema. Source: apache/arrow, format/Schema.fbs.
const (
	slotEndianness     = 0 // slots of the table Schema
	slotFields         = 1
	slotSchemaMetadata = 2

	slotTypeID        = 2 // slots of the table Field
	slotType          = 3
	slotDictionary    = 4
	slotChildren      = 5
	slotFieldMetadata = 6

	flatUnion = 14 // the number of Union in Type
)

// schemaWalk checks a schema before the library decodes it: every length must be within the bytes, and a few bytes must
// not stand for very many fields or texts. The library would allocate memory for any stated length of a vector, and
// would decode a shared table again for each reference.
type schemaWalk struct {
	fields int // how many more fields the schema's length allows
	passed int
	text   int // how many more bytes of text the schema's length allows
}

// columnsOf decodes a schema. It returns the columns and the types of the top-level fields.
func columnsOf(schema flatTable) ([]column, []arrow.DataType, error) {
	f := schema.f
	w := schemaWalk{fields: len(f.b)/minField + 16, text: maxShared * len(f.b)}
	w.metadata(schema.vector(slotSchemaMetadata, 4))
	fields := schema.vector(slotFields, 4)
	var ids []dictionaryIDs
	for i := 0; i < fields.n && w.isSound(f); i++ {
		ids = append(ids, w.field(fields.table(i), arrowDepth))
	}
	switch {
	case w.passed > maxFields:
		return nil, nil, fault.New(fault.CodeTooLarge, "the schema has more than 2^20 columns").
			Advise("write fewer columns a file")
	case !w.isSound(f):
		return nil, nil, undecoded()
	case schema.i16(slotEndianness) != 0:
		return nil, nil, fault.New(fault.CodeUnsupported, "the file is big-endian")
	}
	decoded, err := librarySchema(schema)
	if err != nil || decoded.NumFields() != len(ids) {
		return nil, nil, fault.New(fault.CodeUnsupported, "the schema has a type that cannot be read, or is damaged")
	}
	var out []column
	var types []arrow.DataType
	var paths scan.Paths
	for i := range ids {
		field := decoded.Field(i)
		types = append(types, storage(field.Type))
		out = append(out, columnsIn(i, field, &ids[i], &paths)...)
	}
	if len(out) > len(types) {
		out = scan.DropDoubles(out, func(c *column) (*table.Field, bool) { return &c.field, len(c.path) > 0 })
	}
	return out, types, nil
}

func undecoded() error { return fault.New(fault.CodeDamaged, "the schema cannot be decoded") }

func (w *schemaWalk) isSound(f *flatBuffer) bool {
	return !f.bad && w.fields >= 0 && w.passed <= maxFields && w.text >= 0
}

// field checks a field, and returns the ids of the dictionaries of the field and its children.
func (w *schemaWalk) field(t flatTable, depth int) dictionaryIDs {
	w.passed++
	if w.fields--; depth == 0 {
		w.fields = -1
	}
	w.text -= t.vector(0, 1).n
	w.metadata(t.vector(slotFieldMetadata, 4))
	typ := t.table(slotType)
	if t.u8(slotTypeID) == flatUnion {
		w.text -= 4 * typ.vector(1, 4).n
	}
	ids := dictionaryIDs{id: t.table(slotDictionary).i64(0)}
	children := t.vector(slotChildren, 4)
	for i := 0; i < children.n && w.isSound(t.f); i++ {
		ids.children = append(ids.children, w.field(children.table(i), depth-1))
	}
	return ids
}

// metadata checks the lengths of the key-value pairs of a field or schema.
func (w *schemaWalk) metadata(v flatVector) {
	w.text -= v.n
	for i := 0; i < v.n && w.isSound(v.f); i++ {
		pair := v.table(i)
		w.text -= pair.vector(0, 1).n + pair.vector(1, 1).n
	}
}

// librarySchema decodes a schema with the library. The library decodes only whole messages, so the schema is put into
// one.
func librarySchema(schema flatTable) (*arrow.Schema, error) {
	r, err := ipc.NewReaderFromMessageReader(oneMessage{schemaMessage(schema)}, ipc.WithEnsureNativeEndian(false))
	if err != nil {
		return nil, err
	}
	return r.Schema(), nil
}

// schemaMessage returns the bytes of a message that holds the schema.
func schemaMessage(schema flatTable) []byte {
	const size = 32
	head := []byte{
		16, 0, 0, 0, // the root table is at offset 16
		12, 0, 12, 0, 4, 0, 6, 0, 8, 0, 0, 0, // a vtable with version, type and header
		12, 0, 0, 0, // the vtable is 12 bytes before the root table
		4, 0, 1, 0, // version 5; a schema
	}
	head = binary.LittleEndian.AppendUint32(head, uint32(size-24+schema.at))
	head = append(head, make([]byte, size-len(head))...)
	return append(head, schema.f.b...)
}

// oneMessage is a reader that yields one message without a body.
type oneMessage struct{ message []byte }

func (m oneMessage) Message() (*ipc.Message, error) {
	return ipc.NewMessage(memory.NewBufferBytes(m.message), memory.NewBufferBytes([]byte{})), nil
}

func (oneMessage) Retain() {}

func (oneMessage) Release() {}
