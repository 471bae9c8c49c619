package engine

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/number"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// field is an argument that a command knows.
type field struct {
	name  string
	since int32 // the first wire version that has it
	kind  kind
}

// kind is the type that an argument must have.
type kind uint8

const (
	anything kind = iota
	document
	array
	text
	boolean // a bool or a number
	integer // a number without fraction
	either  // a document or a string: a hint
	pipeline
)

// generic are the arguments that every command has and that the layer above deals with.
func generic(name string) bool {
	switch name {
	case "$db", "lsid", "txnNumber", "autocommit", "startTransaction", "$clusterTime", "$readPreference", "readConcern",
		"writeConcern", "apiVersion", "apiStrict", "apiDeprecationErrors", "maxTimeMS", "maxTimeMSOpOnly", "$audit", "$client",
		"$configServerState", "$configTime", "$topologyTime", "shardVersion", "databaseVersion", "clientOperationKey",
		"mayBypassWriteBlocking", "$queryOptions", "$impersonatedUser", "help", "serialization_context", "$maxTimeMS":
		return true
	}
	return false
}

// args are the arguments of one command or statement.
type args struct {
	fields []field
	values []bson.RawValue
}

// get is an argument, the zero value when it is absent.
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

func (a *args) bool(name string) bool { return value.Truthy(a.get(name)) }

func (a *args) boolOr(name string, otherwise bool) bool {
	if v := a.get(name); !v.IsZero() {
		return value.Truthy(v)
	}
	return otherwise
}

func (a *args) int(name string) int64 {
	n, _ := number.Truncated(a.get(name))
	return n
}

// parse reads the command's arguments. The first element is the command itself.
func (r *Request) parse(fields []field) (*args, error) {
	a := &args{fields: fields, values: make([]bson.RawValue, len(fields))}
	first := true
	for key, v := range r.Body.All() {
		if first {
			first = false
			continue
		}
		if generic(key) || key == "comment" && r.WireVersion >= wire44 || key == "rawData" && r.WireVersion >= wire82 {
			continue
		}
		if err := a.set(r, r.Name, key, v); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// statement reads one element of updates, deletes or indexes; owner is its place in the command, for messages.
func (r *Request) statement(owner string, d bson.Raw, fields []field) (*args, error) {
	a := &args{fields: fields, values: make([]bson.RawValue, len(fields))}
	for key, v := range d.All() {
		if err := a.set(r, owner, key, v); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *args) set(r *Request, owner, key string, v bson.RawValue) error {
	for i := range a.fields {
		f := &a.fields[i]
		if f.name != key {
			continue
		}
		if r.WireVersion < f.since {
			break
		}
		if v.Type == bsontype.Null {
			return nil
		}
		if !f.kind.accepts(v) {
			return status.Errorf(errcode.TypeMismatch, "BSON field '%s.%s' is the wrong type '%s', expected type '%s'", owner, key, v.Type, f.kind)
		}
		a.values[i] = v
		return nil
	}
	return r.unknown(owner, key)
}

func (k kind) accepts(v bson.RawValue) bool {
	switch k {
	case document:
		return v.Type == bsontype.EmbeddedDocument
	case array:
		return v.Type == bsontype.Array
	case text:
		return v.Type == bsontype.String
	case boolean:
		return v.Type == bsontype.Boolean || number.Is(v.Type)
	case integer:
		return number.Is(v.Type)
	case either:
		return v.Type == bsontype.EmbeddedDocument || v.Type == bsontype.String
	case pipeline:
		return v.Type == bsontype.EmbeddedDocument || v.Type == bsontype.Array
	}
	return true
}

func (k kind) String() string {
	return [...]string{"any", "object", "array", "string", "bool", "long", "object", "object"}[k]
}

// unknown refuses an argument, in the words of the server's version.
func (r *Request) unknown(owner, key string) error {
	if r.WireVersion < wire50 {
		switch owner {
		case "find":
			return status.Errorf(errcode.FailedToParse, "Failed to parse: %s. Unrecognized field '%s'.", status.Text(r.Body), key)
		case "aggregate":
			return status.Errorf(errcode.FailedToParse, "unrecognized field '%s'", key)
		case "findAndModify":
			return status.Errorf(51177, "BSON field '%s' is an unknown field.", key)
		}
	}
	if owner == "find" && r.WireVersion < wire80 {
		owner = "FindCommandRequest"
	}
	return status.Errorf(40415, "BSON field '%s.%s' is an unknown field.", owner, key)
}

// collection is the name in the command's first element.
func (r *Request) collection() (string, error) {
	e, _ := r.Body.Index(0)
	name, ok := e.Value.StringOK()
	if !ok {
		return "", status.Errorf(errcode.InvalidNamespace, "collection name has invalid type %s", e.Value.Type)
	}
	return name, checkName(r.DB, name)
}

func checkName(db, name string) error {
	if name == "" || strings.ContainsRune(name, 0) || strings.HasPrefix(name, ".") {
		return status.Errorf(errcode.InvalidNamespace, "Invalid namespace specified '%s.%s'", db, name)
	}
	if db == "" || strings.ContainsAny(db, "/\\. \"$\x00") && db != "$external" || len(db) > 63 {
		return status.Errorf(errcode.InvalidNamespace, "Invalid namespace specified '%s.%s'", db, name)
	}
	return nil
}

// documents are the elements of a batch: a kind 1 section or an array in the body.
func (r *Request) documents(a *args, name string) ([]bson.Raw, error) {
	if docs, ok := r.Sequences[name]; ok {
		return docs, nil
	}
	v := a.get(name)
	if v.IsZero() {
		return nil, status.Errorf(40414, "BSON field '%s.%s' is missing but a required field", r.Name, name)
	}
	var docs []bson.Raw
	i := 0
	for _, e := range bson.Raw(v.Value).All() {
		d, ok := e.DocumentOK()
		if !ok {
			return nil, status.Errorf(errcode.TypeMismatch, "BSON field '%s.%s.%d' is the wrong type '%s', expected type 'object'", r.Name, name, i, e.Type)
		}
		docs = append(docs, d)
		i++
	}
	return docs, nil
}
