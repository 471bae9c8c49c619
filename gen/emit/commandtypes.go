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
}`)
	source(f, `
// Batch is a command with a section of kind 1. AppendItem writes one whole document of the section.
type Batch interface {
	Command
	Items() int
	AppendItem(dst []byte, i int, env *Env) ([]byte, error)
}`)
	source(f, `
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
}`)
	source(f, `
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
}`)
	return f
}

// commandConcerns prints the encoders of read concern, write concern and read preference; they depend on no row.
func commandConcerns() *jen.File {
	f := newFile(commandDir, "commands")
	source(f, `
// AppendReadConcern appends a read concern. A nil concern, or one without a level, appends nothing unless a time is
// given: after is that of causal consistency, at that of a snapshot; a zero time is none.
func AppendReadConcern(dst []byte, key string, rc *options.ReadConcern, after, at bson.Timestamp) []byte {
	level := ""
	if rc != nil {
		level = rc.Level
	}
	if level == "" && after == (bson.Timestamp{}) && at == (bson.Timestamp{}) {
		return dst
	}
	dst, start := bson.AppendDocumentElementStart(dst, key)
	if level != "" {
		dst = bson.AppendStringElement(dst, "level", level)
	}
	if after != (bson.Timestamp{}) {
		dst = bson.AppendTimestampElement(dst, "afterClusterTime", after.T, after.I)
	}
	if at != (bson.Timestamp{}) {
		dst = bson.AppendTimestampElement(dst, "atClusterTime", at.T, at.I)
	}
	return bson.AppendDocumentEnd(dst, start)
}`)
	source(f, `
// AppendWriteConcern appends a write concern; a nil or empty one appends nothing. timeout says that a timeout bounds
// the operation: then wtimeout is left out.
func AppendWriteConcern(dst []byte, key string, wc *options.WriteConcern, timeout bool) ([]byte, error) {
	if IsDefaultWriteConcern(wc) {
		return dst, nil
	}
	if err := ValidateWriteConcern(wc); err != nil {
		return dst, err
	}
	if timeout && wc.W == nil && wc.Journal == nil {
		return dst, nil
	}
	dst, start := bson.AppendDocumentElementStart(dst, key)
	switch w := wc.W.(type) {
	case int:
		dst = bson.AppendInt32Element(dst, "w", int32(w))
	case string:
		dst = bson.AppendStringElement(dst, "w", w)
	}
	if wc.Journal != nil {
		dst = bson.AppendBooleanElement(dst, "j", *wc.Journal)
	}
	if wc.WTimeout != nil && !timeout {
		dst = bson.AppendInt64Element(dst, "wtimeout", wc.WTimeout.Milliseconds())
	}
	return bson.AppendDocumentEnd(dst, start), nil
}`)
	source(f, `
// IsDefaultWriteConcern reports whether a write concern leaves everything to the server.
func IsDefaultWriteConcern(wc *options.WriteConcern) bool {
	return wc == nil || *wc == (options.WriteConcern{})
}`)
	source(f, `
// IsAcknowledged reports whether the server answers a write with this concern.
func IsAcknowledged(wc *options.WriteConcern) bool {
	return wc == nil || wc.W != 0 || wc.Journal != nil && *wc.Journal
}`)
	source(f, `
// ValidateWriteConcern checks the fields of a write concern.
func ValidateWriteConcern(wc *options.WriteConcern) error {
	if wc == nil {
		return nil
	}
	switch w := wc.W.(type) {
	case nil, string:
	case int:
		if w < 0 || w > math.MaxInt32 {
			return fmt.Errorf("write concern: w is %d", w)
		}
		if w == 0 && wc.Journal != nil && *wc.Journal {
			return errors.New("write concern: w=0 cannot be used with journal")
		}
	default:
		return fmt.Errorf("write concern: w is a %T, not an int or a string", w)
	}
	if wc.WTimeout != nil && *wc.WTimeout < 0 {
		return fmt.Errorf("write concern: wtimeout is %v", *wc.WTimeout)
	}
	return nil
}`)
	source(f, `
// AppendReadPreference appends a read preference as mongos takes it.
func AppendReadPreference(dst []byte, key string, rp *options.ReadPreference) []byte {
	mode := options.Primary
	if rp != nil && rp.Mode != 0 {
		mode = rp.Mode
	}
	dst, start := bson.AppendDocumentElementStart(dst, key)
	dst = bson.AppendStringElement(dst, "mode", mode.String())
	if rp == nil {
		return bson.AppendDocumentEnd(dst, start)
	}
	if len(rp.TagSets) > 0 {
		dst = appendTagSets(dst, rp.TagSets)
	}
	if rp.MaxStaleness != nil {
		dst = bson.AppendInt32Element(dst, "maxStalenessSeconds", int32(*rp.MaxStaleness/time.Second))
	}
	if rp.Hedge != nil && rp.Hedge.Enabled != nil {
		var hedge int
		dst, hedge = bson.AppendDocumentElementStart(dst, "hedge")
		dst = bson.AppendBooleanElement(dst, "enabled", *rp.Hedge.Enabled)
		dst = bson.AppendDocumentEnd(dst, hedge)
	}
	return bson.AppendDocumentEnd(dst, start)
}

func appendTagSets(dst []byte, sets []options.TagSet) []byte {
	dst, tags := bson.AppendArrayElementStart(dst, "tags")
	for i, set := range sets {
		var start int
		dst = bson.AppendArrayIndexHeader(dst, bsontype.EmbeddedDocument, i)
		dst, start = bson.AppendDocumentStart(dst)
		for _, t := range set {
			dst = bson.AppendStringElement(dst, t.Name, t.Value)
		}
		dst = bson.AppendDocumentEnd(dst, start)
	}
	return bson.AppendDocumentEnd(dst, tags)
}`)
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
	source(f, `
func appendArray(dst []byte, key string, values []any, env *Env) ([]byte, error) {
	dst, start := bson.AppendArrayElementStart(dst, key)
	for i, v := range values {
		var err error
		if dst, err = bson.AppendValueElement(dst, strconv.Itoa(i), v, env.Marshal); err != nil {
			return dst, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
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
