package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/encrypted"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

const encryptionInformation = "encryptionInformation"

// searchesIn names the argument of each command that may hold search payloads. In updates and deletes each statement
// has it.
var searchesIn = map[string]string{
	"find": "filter", "count": "query", "distinct": "query", "aggregate": "pipeline",
	"findAndModify": "query", "findandmodify": "query", "update": "updates", "delete": "deletes",
}

// rewriteEncrypted runs a command that may use Queryable Encryption. Such a command searches for tags instead of payloads, and
// knows the schemas of its collections.
func rewriteEncrypted(run Handler) Handler {
	return func(e *Engine, ctx context.Context, r *Request, dst []byte) ([]byte, error) {
		if r.WireVersion >= wire.Server60 {
			if err := e.readEncryption(r); err != nil {
				return nil, err
			}
		}
		return run(e, ctx, r, dst)
	}
}

// readEncryption reads the command's encryptionInformation. An explain has it in the explained command, and a bulkWrite
// in its namespaces.
func (e *Engine) readEncryption(r *Request) error {
	switch r.Name {
	case "bulkWrite":
		return e.readBulkEncryption(r)
	case "explain":
		inner := *r
		var ok bool
		first, _ := r.Body.Index(0)
		if inner.Body, ok = first.Value.DocumentOK(); !ok {
			return nil
		}
		name, _ := inner.Body.Index(0)
		inner.Name = name.Key
		if err := e.readCommand(&inner); err != nil || inner.encryption == nil {
			return err
		}
		r.Body, r.encryption = setField(r.Body, first.Key, value.Document(inner.Body)), inner.encryption
		return nil
	}
	return e.readCommand(r)
}

// readCommand reads a command's encryptionInformation and rewrites its searches.
func (e *Engine) readCommand(r *Request) error {
	info, ok := path.Field(r.Body, encryptionInformation).DocumentOK()
	if !ok {
		return nil
	}
	switch {
	case e.standalone:
		return status.Errorf(6346402, "Encrypted collections are not supported on standalone")
	case r.WireVersion < wire.Server70:
		return status.Errorf(errcode.CommandNotSupported, "mongotest does not have the first version of Queryable Encryption")
	}
	schemas, err := encrypted.Information(info)
	if err != nil {
		return err
	}
	r.encryption = schemas
	argument := searchesIn[r.Name]
	if argument == "" {
		return nil
	}
	f := e.newFinder(r, schemas)
	if argument != "updates" && argument != "deletes" {
		if err := checkEncryptedModify(r); err != nil {
			return err
		}
		return rewriteArgument(f, &r.Body, argument)
	}
	return rewriteStatements(f, r, argument)
}

// newFinder searches for tags in the state that the command reads.
func (e *Engine) newFinder(r *Request, schemas []*encrypted.Schema) *encrypted.Finder {
	return &encrypted.Finder{Schemas: schemas, State: snapshotState{e.snapshot(r)}, Stop: r.Interrupt.Err}
}

// rewriteArgument rewrites one argument of a command or statement.
func rewriteArgument(f *encrypted.Finder, d *bson.Raw, argument string) error {
	v := path.Field(*d, argument)
	if v.IsZero() {
		return nil
	}
	other, err := f.Rewrite(v)
	if err == nil && !other.Equal(v) {
		*d = setField(*d, argument, other)
	}
	return err
}

// rewriteStatements rewrites the queries of updates and deletes. The command must have exactly one statement.
func rewriteStatements(f *encrypted.Finder, r *Request, argument string) error {
	docs, err := r.documents(&args{fields: []field{{name: argument}}, values: []bson.RawValue{path.Field(r.Body, argument)}}, argument)
	if err != nil || len(docs) == 0 {
		return err
	}
	docs = append([]bson.Raw(nil), docs...)
	for i := range docs {
		if argument == "updates" {
			if err := checkEncryptedUpdate(len(docs), docs[i]); err != nil {
				return err
			}
		} else if len(docs) != 1 {
			return status.Errorf(6371302, "Only single document deletes are permitted")
		}
		if err := rewriteArgument(f, &docs[i], "q"); err != nil {
			return err
		}
	}
	r.setDocuments(argument, docs)
	return nil
}

// setDocuments replaces the statements that came with the command.
func (r *Request) setDocuments(argument string, docs []bson.Raw) {
	if _, ok := r.Sequences[argument]; ok {
		sequences := map[string][]bson.Raw{}
		for name, list := range r.Sequences {
			sequences[name] = list
		}
		sequences[argument] = docs
		r.Sequences = sequences
		return
	}
	list := make([]bson.RawValue, len(docs))
	for i, d := range docs {
		list[i] = value.Document(d)
	}
	r.Body = setField(r.Body, argument, value.ArrayOf(list...))
}

func checkEncryptedUpdate(statements int, st bson.Raw) error {
	switch {
	case statements != 1:
		return status.Errorf(6371502, "Only single document updates are permitted")
	case value.IsTruthy(path.Field(st, "multi")):
		return status.Errorf(6371503, "FLE only supports single document updates")
	case path.Field(st, "u").Type == bsontype.Array:
		return status.Errorf(6371517, "FLE only supports modifier and replacement style updates")
	}
	return nil
}

// checkEncryptedModify refuses findAndModify options that do not work on encrypted fields.
func checkEncryptedModify(r *Request) error {
	if r.Name != "findAndModify" && r.Name != "findandmodify" {
		return nil
	}
	fields, _ := path.Field(r.Body, "fields").DocumentOK()
	switch {
	case value.IsTruthy(path.Field(r.Body, "new")):
		return status.Errorf(6371402, "findAndModify with encryption only supports new: false")
	case fields.Len() > 0:
		return status.Errorf(6371408, "findAndModify fields must be empty")
	case path.Field(r.Body, "update").Type == bsontype.Array:
		return status.Errorf(6439901, "FLE only supports modifier and replacement style updates")
	}
	return nil
}

// readBulkEncryption reads the encryptionInformation of each namespace and rewrites the filters of the operations.
func (e *Engine) readBulkEncryption(r *Request) error {
	documents := func(name string) ([]bson.Raw, error) {
		return r.documents(&args{fields: []field{{name: name}}, values: []bson.RawValue{path.Field(r.Body, name)}}, name)
	}
	infos, err := documents("nsInfo")
	if err != nil {
		return err
	}
	for _, info := range infos {
		d, ok := path.Field(info, encryptionInformation).DocumentOK()
		if !ok {
			continue
		}
		schemas, err := encrypted.Information(d)
		if err != nil {
			return err
		}
		r.encryption = append(r.encryption, schemas...)
	}
	switch {
	case r.encryption == nil:
		return nil
	case e.standalone:
		return status.Errorf(6346402, "Encrypted collections are not supported on standalone")
	case len(infos) > 1:
		return status.Errorf(errcode.BadValue, "BulkWrite with Queryable Encryption supports only a single namespace")
	}
	ops, err := documents("ops")
	if err != nil || len(ops) == 0 {
		return err
	}
	ops = append([]bson.Raw(nil), ops...)
	f := e.newFinder(r, r.encryption)
	for i := range ops {
		first, _ := ops[i].Index(0)
		switch multi, _ := number.TruncateInt64(path.Field(ops[i], "multi")); {
		case first.Key != "insert" && len(ops) > 1:
			return status.Errorf(errcode.BadValue,
				"Only insert is supported in BulkWrite with multiple operations and Queryable Encryption.")
		case first.Key == "update" && (multi != 0 || value.IsTruthy(path.Field(ops[i], "multi"))):
			return status.Errorf(6371503, "FLE only supports single document updates")
		}
		if err := rewriteArgument(f, &ops[i], "filter"); err != nil {
			return err
		}
	}
	r.setDocuments("ops", ops)
	return nil
}
