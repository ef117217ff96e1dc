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
	// maxFields is the largest number of fields in a schema. The length of a schema has no limit, since some writers
	// state facts about rows in its texts.
	maxFields = 1 << 20
	// arrowDepth is the deepest nesting of types that is read.
	arrowDepth = 32
	// minField is less than the length of any valid field in a schema, in bytes. Decoding a field allocates about 500
	// bytes.
	minField = 16
	// maxShared limits the total length of a schema's texts to a multiple of the schema's length: fields can share one
	// text, and the library copies it for each.
	maxShared = 8
)

// The slots of the tables in a schema. Source: apache/arrow, format/Schema.fbs.
const (
	slotEndianness     = 0 // of Schema
	slotFields         = 1
	slotSchemaMetadata = 2

	slotTypeID        = 2 // of Field
	slotType          = 3
	slotDictionary    = 4
	slotChildren      = 5
	slotFieldMetadata = 6

	flatUnion = 14 // the number of Union in Type
)

// schemaWalk walks over a schema before the library decodes it. It checks that every length is within the bytes, and
// that few bytes do not stand for very many fields or texts: the library allocates memory for the stated length of a
// vector, and decodes a shared table again for each reference.
type schemaWalk struct {
	fields int // the number of fields that the schema's length allows, less those that were met
	passed int
	text   int // the bytes of texts that the schema's length allows, less those that were met
}

// columnsOf decodes a schema and returns its columns and the types of the top level.
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

// field checks a field and returns the ids of its dictionaries.
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

// metadata checks keys and values.
func (w *schemaWalk) metadata(v flatVector) {
	w.text -= v.n
	for i := 0; i < v.n && w.isSound(v.f); i++ {
		pair := v.table(i)
		w.text -= pair.vector(0, 1).n + pair.vector(1, 1).n
	}
}

// librarySchema decodes a schema of a message or of a footer with the library, which only decodes messages.
func librarySchema(schema flatTable) (*arrow.Schema, error) {
	r, err := ipc.NewReaderFromMessageReader(oneMessage{schemaMessage(schema)}, ipc.WithEnsureNativeEndian(false))
	if err != nil {
		return nil, err
	}
	return r.Schema(), nil
}

// schemaMessage returns a message whose header is the schema.
func schemaMessage(schema flatTable) []byte {
	const size = 32
	head := []byte{
		16, 0, 0, 0, // the root is at 16
		12, 0, 12, 0, 4, 0, 6, 0, 8, 0, 0, 0, // a vtable with version, type and header
		12, 0, 0, 0, // the vtable is 12 before the root
		4, 0, 1, 0, // version 5; a schema
	}
	head = binary.LittleEndian.AppendUint32(head, uint32(size-24+schema.at))
	head = append(head, make([]byte, size-len(head))...)
	return append(head, schema.f.b...)
}

// oneMessage is a stream of one message without a body.
type oneMessage struct{ message []byte }

// Message implements ipc.MessageReader.
func (m oneMessage) Message() (*ipc.Message, error) {
	return ipc.NewMessage(memory.NewBufferBytes(m.message), memory.NewBufferBytes([]byte{})), nil
}

// Retain implements ipc.MessageReader.
func (oneMessage) Retain() {}

// Release implements ipc.MessageReader.
func (oneMessage) Release() {}
