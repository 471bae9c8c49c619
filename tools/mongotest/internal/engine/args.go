package engine

import (
	"math"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// field is an argument that a command knows.
type field struct {
	name  string
	since int32 // the first wire version that has it
	kind  kind
}

// kind is the type that an argument must have, plus its other constraints.
type kind uint8

const (
	anything kind = iota
	document
	array
	text
	boolean  // a bool or a number
	flag     // a bool
	integer  // a number
	long     // an int64
	hint     // a document or a string
	updating // a document or an array: an update
	pipeline // an array of documents
	uuid

	kinds    kind = 0x1f
	required kind = 0x20
	natural  kind = 0x40 // an integer that is not negative
	positive kind = 0x80 // an integer that is at least 1
)

// isGeneric reports whether every command takes the argument. The layer above handles it.
func isGeneric(name string) bool {
	switch name {
	case "$db", "lsid", "txnNumber", "autocommit", "startTransaction", "$clusterTime", "$readPreference", "readConcern",
		"writeConcern", "apiVersion", "apiStrict", "apiDeprecationErrors", "maxTimeMS", "maxTimeMSOpOnly", "$audit", "$client",
		"$configServerState", "$configTime", "$topologyTime", "shardVersion", "databaseVersion", "clientOperationKey",
		"mayBypassWriteBlocking", "$queryOptions", "$impersonatedUser", "help", "serialization_context", "$maxTimeMS",
		"$replData", "$oplogQueryData", "coordinator", "$tenant", "allowImplicitDatabaseCreation", "expectPrefix":
		return true
	}
	return false
}

// args are the arguments of one command or statement.
type args struct {
	fields []field
	values []bson.RawValue
	ns     string // the namespace that the command names
	wire   int32  // the server's wire version
	check  *interrupt.Check
	caller any // of the command, for $$USER_ROLES
}

// get returns an argument, or the zero value when it is absent.
func (a *args) get(name string) bson.RawValue {
	for i := range a.fields {
		if a.fields[i].name == name {
			return a.values[i]
		}
	}
	return bson.RawValue{}
}

func (a *args) has(name string) bool { return !a.get(name).IsZero() }

func (a *args) document(name string) bson.Raw {
	d, _ := a.get(name).DocumentOK()
	return d
}

func (a *args) text(name string) string { return value.Text(a.get(name)) }

func (a *args) bool(name string) bool { return value.IsTruthy(a.get(name)) }

func (a *args) boolOr(name string, otherwise bool) bool {
	if v := a.get(name); !v.IsZero() {
		return value.IsTruthy(v)
	}
	return otherwise
}

func (a *args) int(name string) int64 {
	n, _ := number.TruncateInt64(a.get(name))
	return n
}

// parse reads the command's arguments. The first element is the command itself.
func (r *Request) parse(fields []field) (*args, error) {
	a := &args{fields: fields, values: make([]bson.RawValue, len(fields)), wire: r.WireVersion, check: r.Interrupt, caller: r.Caller}
	first := true
	for key, v := range r.Body.All() {
		if first {
			first = false
			a.ns = r.DB + "." + value.Text(v)
			continue
		}
		if key == "maxTimeMS" {
			if err := checkMaxTime(v); err != nil {
				return nil, err
			}
		}
		if isGeneric(key) || key == "comment" && r.takesComment() || key == "rawData" && r.WireVersion >= wire.Server82 {
			continue
		}
		if err := a.setValue(r, r.Name, key, v); err != nil {
			return nil, err
		}
	}
	return a, a.checkComplete(r, r.Name)
}

// takesComment reports whether the command takes a comment of any type. distinct and count took one late: servers
// before 4.4.14 require a string.
func (r *Request) takesComment() bool {
	if r.Name == "distinct" || r.Name == "count" {
		return r.WireVersion >= wire.Server50
	}
	return r.WireVersion >= wire.Server44
}

// parseStatement reads one element of updates, deletes or indexes. owner is its place in the command, for error messages.
func (r *Request) parseStatement(owner string, d bson.Raw, fields []field) (*args, error) {
	a := &args{fields: fields, values: make([]bson.RawValue, len(fields)), wire: r.WireVersion, check: r.Interrupt, caller: r.Caller}
	for key, v := range d.All() {
		if err := a.setValue(r, owner, key, v); err != nil {
			return nil, err
		}
	}
	return a, a.checkComplete(r, owner)
}

func (a *args) setValue(r *Request, owner, key string, v bson.RawValue) error {
	for i := range a.fields {
		f := &a.fields[i]
		if f.name != key {
			continue
		}
		if r.WireVersion < f.since {
			break
		}
		if (v.Type == bsontype.Null || v.Type == bsontype.Undefined) && f.kind&kinds != hint {
			return nil
		}
		if !a.values[i].IsZero() {
			return status.Errorf(40413, "BSON field '%s.%s' is a duplicate field", r.context(owner), key)
		}
		a.values[i] = v
		return f.check(r, owner, v)
	}
	return r.refuseUnknown(owner, key)
}

// checkComplete checks that every required argument is present.
func (a *args) checkComplete(r *Request, owner string) error {
	for i := range a.fields {
		if f := &a.fields[i]; f.kind&required != 0 && a.values[i].IsZero() && r.Sequences[f.name] == nil {
			return status.Errorf(errcode.Location40414, "BSON field '%s.%s' is missing but a required field", r.context(owner), f.name)
		}
	}
	return nil
}

// check refuses a value that has the wrong type or is out of range.
func (f *field) check(r *Request, owner string, v bson.RawValue) error {
	if !f.kind.accepts(v) {
		return r.typeError(owner, f, v)
	}
	if f.kind&(natural|positive) == 0 {
		return nil
	}
	least := int64(0)
	if f.kind&positive != 0 {
		least = 1
	}
	if n, _ := number.TruncateInt64(v); n < least {
		if owner == "find" && r.WireVersion < wire.Server50 {
			return status.Errorf(errcode.BadValue, "%s value must be non-negative, but received: %d",
				strings.ToUpper(f.name[:1])+f.name[1:], n)
		}
		return status.Errorf(51024, "BSON field '%s' value must be >= %d, actual value '%d'", f.name, least, n)
	}
	return nil
}

// types are the BSON types of the kinds that have one.
var types = [...]bsontype.Type{
	document: bsontype.EmbeddedDocument, array: bsontype.Array, text: bsontype.String, flag: bsontype.Boolean,
	long: bsontype.Int64, uuid: bsontype.Binary,
}

// accepts reports whether a value has the type.
func (k kind) accepts(v bson.RawValue) bool {
	switch k &= kinds; k {
	case anything:
		return true
	case boolean:
		return v.Type == bsontype.Boolean || number.Is(v.Type)
	case integer:
		return number.Is(v.Type)
	case hint:
		return v.Type == bsontype.EmbeddedDocument || v.Type == bsontype.String
	case updating:
		return v.Type == bsontype.EmbeddedDocument || v.Type == bsontype.Array
	case pipeline:
		return isPipeline(v)
	}
	return v.Type == types[k]
}

// String returns the type's name in error messages.
func (k kind) String() string {
	switch k &= kinds; k {
	case boolean:
		return "types '[bool, long, int, decimal, double']"
	case integer:
		return "types '[long, int, decimal, double']"
	case hint:
		return "types '[string, object']"
	case updating, pipeline:
		return "type 'array'"
	case anything:
		return "any type"
	}
	return "type '" + types[k].String() + "'"
}

func isPipeline(v bson.RawValue) bool {
	for _, stage := range value.Elements(v) {
		if stage.Type != bsontype.EmbeddedDocument {
			return false
		}
	}
	return v.Type == bsontype.Array
}

// typeError returns the error of an argument that has the wrong type.
func (r *Request) typeError(owner string, f *field, v bson.RawValue) error {
	switch f.kind & kinds {
	case hint:
		return status.Errorf(errcode.FailedToParse, "Hint must be a string or an object")
	case updating:
		return status.Errorf(errcode.FailedToParse, "Update argument must be either an object or an array")
	case pipeline:
		if v.Type == bsontype.Array {
			return status.Errorf(errcode.TypeMismatch, "Each element of the 'pipeline' array must be an object")
		}
		return status.Errorf(errcode.TypeMismatch, "A pipeline must be an array of objects")
	case document:
		if owner == "find" && r.WireVersion >= wire.Server50 && f.name != "let" {
			// The server's text lacks the space.
			return status.Errorf(errcode.TypeMismatch, "Expected field %sto be of type object", f.name)
		}
	}
	if owner == "find" && r.WireVersion < wire.Server50 {
		return status.Errorf(errcode.FailedToParse, "Failed to parse: %s. '%s' field must be of BSON %s.",
			status.Text(r.Body), f.name, strings.ReplaceAll(f.kind.String(), "'", ""))
	}
	return status.Errorf(errcode.TypeMismatch,
		"BSON field '%s.%s' is the wrong type '%s', expected %s", r.context(owner), f.name, v.Type, f.kind)
}

// context returns the name of the command, or of a part of it, in error messages.
func (r *Request) context(owner string) string {
	if owner == "find" && r.WireVersion < wire.Server80 {
		return "FindCommandRequest"
	}
	return owner
}

// refuseUnknown refuses an unknown argument, in the words of the server's version. Before 5.0 many commands ignored unknown
// arguments.
func (r *Request) refuseUnknown(owner, key string) error {
	if r.ignoring {
		return nil
	}
	if r.WireVersion < wire.Server50 {
		switch owner {
		case "find", "getMore", "killCursors":
			return status.Errorf(errcode.FailedToParse, "Failed to parse: %s. Unrecognized field '%s'.", status.Text(r.Body), key)
		case "aggregate":
			return status.Errorf(errcode.FailedToParse, "unrecognized field '%s'", key)
		case "findAndModify":
			return status.Errorf(51177, "BSON field '%s' is an unknown field.", key)
		case "create":
			return status.Errorf(errcode.InvalidOptions,
				"The field '%s' is not a valid collection option. Options: %s", key, status.Text(r.Body))
		case "collMod":
			return status.Errorf(errcode.InvalidOptions, "unknown option to collMod: %s", key)
		case "createIndexes":
			return status.Errorf(errcode.BadValue, "Invalid field specified for createIndexes command: %s", key)
		case "drop", "dropDatabase", "dropIndexes", "listCollections", "listIndexes", "collStats", "dbStats", "explain":
			return nil
		}
	}
	return status.Errorf(errcode.Location40415, "BSON field '%s.%s' is an unknown field.", r.context(owner), key)
}

// checkMaxTime refuses a time limit that is not a number of milliseconds.
func checkMaxTime(v bson.RawValue) error {
	n, ok := number.TruncateInt64(v)
	switch {
	case !number.Is(v.Type):
		return status.Errorf(errcode.BadValue, "maxTimeMS must be a number")
	case !ok || n < 0 || n > math.MaxInt32:
		return status.Errorf(errcode.BadValue, "%s value for maxTimeMS is out of range [0, %d]", status.TextOf(v), math.MaxInt32)
	case number.Float64(v) != float64(n):
		return status.Errorf(errcode.BadValue, "maxTimeMS has non-integral value")
	}
	return nil
}

// documents returns the elements of a batch, from a kind 1 section or from an array in the body.
func (r *Request) documents(a *args, name string) ([]bson.Raw, error) {
	v := a.get(name)
	if docs, ok := r.Sequences[name]; ok {
		if !v.IsZero() {
			return nil, status.Errorf(40413, "BSON field '%s.%s' is a duplicate field", r.Name, name)
		}
		return docs, nil
	}
	var docs []bson.Raw
	for i, e := range value.Elements(v) {
		d, ok := e.DocumentOK()
		if !ok {
			return nil, status.Errorf(errcode.TypeMismatch,
				"BSON field '%s.%s.%d' is the wrong type '%s', expected type 'object'", r.Name, name, i, e.Type)
		}
		docs = append(docs, d)
	}
	return docs, nil
}

func wrongOption(owner, name string, v bson.RawValue, expected string) error {
	return status.Errorf(errcode.TypeMismatch, "BSON field '%s.%s' is the wrong type '%s', expected type '%s'", owner,
		name, v.Type, expected)
}

// checkChoice refuses a string that is not one of the values.
func checkChoice(owner string, a *args, name string, values ...string) error {
	if !a.has(name) {
		return nil
	}
	for _, v := range values {
		if a.text(name) == v {
			return nil
		}
	}
	return status.Errorf(errcode.BadValue, "Enumeration value '%s' for field '%s.%s' is not a valid value.", a.text(name), owner, name)
}
