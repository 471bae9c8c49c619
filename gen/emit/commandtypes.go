package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// commandTypes prints what all commands share; it depends on no row.
func commandTypes() *jen.File {
	f := newFile(commandDir, "commands")
	source(f, `
// Env is what an encoder needs to know beside the command.
type Env struct {
	WireVersion    int32 // of the server that the command goes to
	Unacknowledged bool  // the write concern asks for no acknowledgement
	Timeout        bool  // a timeout bounds the operation: maxTimeMS of the options is not sent
	Marshal        *bson.MarshalOptions
}`)
	source(f, `
// Command is a command on its way to a server. Append opens a document at the end of dst and leaves it open, so that
// the caller can add what every command takes and close it with bson.AppendDocumentEnd and the length that dst had.
type Command interface {
	Append(dst []byte, env *Env) ([]byte, error)
	Meta() Meta
	Timeout() *time.Duration // timeoutMS of the operation's options, nil when it is unset
}`)
	source(f, `
// Batch is a command with a section of kind 1. AppendItem writes one whole document of the section.
type Batch interface {
	Command
	Items() int
	AppendItem(dst []byte, i int, env *Env) ([]byte, error)
}`)
	source(f, sourceAccess)
	source(f, sourceUnsupportedOptionError)
	return f
}

// commandValues prints the encoders of values with a structure: collation from its fields, and arrays.
//
//	func appendCollation(dst []byte, key string, o *options.Collation) []byte {
//		dst, start := bson.AppendDocumentElementStart(dst, key)
//		dst = bson.AppendStringElement(dst, "locale", o.Locale)
//		...
//		return bson.AppendDocumentEnd(dst, start)
//	}
func commandValues(m *model.Commands) *jen.File {
	f := newFile(commandDir, "options/types/collation.yaml")
	e := encoder{command: "collation"}
	e.line("dst, start := bson.AppendDocumentElementStart(dst, key)")
	for _, field := range m.Collation {
		e.field("o.", field)
	}
	source(f, "func appendCollation(dst []byte, key string, o *options.Collation) []byte {\n"+e.body()+"return bson.AppendDocumentEnd(dst, start)\n}")
	source(f, sourceAppendArray)
	source(f, `
func appendDocuments(dst []byte, key string, values []bson.Raw) []byte {
	dst, start := bson.AppendArrayElementStart(dst, key)
	for i, v := range values {
		dst = bson.AppendArrayIndexHeader(dst, bsontype.EmbeddedDocument, i)
		dst = append(dst, v...)
	}
	return bson.AppendDocumentEnd(dst, start)
}`)
	source(f, `
func appendInt64s(dst []byte, key string, values []int64) []byte {
	dst, start := bson.AppendArrayElementStart(dst, key)
	for i, v := range values {
		dst = bson.AppendArrayIndexHeader(dst, bsontype.Int64, i)
		dst = binary.LittleEndian.AppendUint64(dst, uint64(v))
	}
	return bson.AppendDocumentEnd(dst, start)
}`)
	return f
}

const sourceAccess = `
// Access says whether an operation reads or writes.
type Access uint8

const (
	Read Access = iota + 1
	Write
)

// Retry says as what an operation may be retried.
type Retry uint8

const (
	RetryNone Retry = iota
	RetryRead
	RetryWrite
)

// Meta describes an operation.
type Meta struct {
	Command        string // name of the command
	Operation      string // name of the operation, for traces and errors
	Sequence       string // identifier of the section of kind 1, or empty
	Access         Access
	Retry          Retry
	ReadConcern    bool // the command takes the field
	WriteConcern   bool
	ReadPreference bool // the operation may go to a secondary
	Cursor         bool // the reply holds a cursor
}`

const sourceUnsupportedOptionError = `
// UnsupportedOptionError says that the server is too old for an option that it would ignore or misread.
type UnsupportedOptionError struct {
	Command, Option string
	Since           string // first release that knows the option
	WireVersion     int32  // of the server
}

func (e *UnsupportedOptionError) Error() string {
	return "option " + e.Option + " of " + e.Command + " needs MongoDB " + e.Since + " or newer, the server has wire version " + strconv.Itoa(int(e.WireVersion))
}

func unsupported(command, option, since string, env *Env) error {
	return &UnsupportedOptionError{Command: command, Option: option, Since: since, WireVersion: env.WireVersion}
}

func wrongModel(model options.WriteModel, i int) error {
	return fmt.Errorf("write model %d: %T does not belong to this command", i, model)
}`

const sourceAppendArray = `
func appendArray(dst []byte, key string, values []any, env *Env) ([]byte, error) {
	dst, start := bson.AppendArrayElementStart(dst, key)
	for i, v := range values {
		var err error
		if dst, err = bson.AppendValueElement(dst, strconv.Itoa(i), v, env.Marshal); err != nil {
			return dst, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
}`
