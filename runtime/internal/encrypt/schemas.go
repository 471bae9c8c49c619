package encrypt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/generated/core/kmstable"
	"github.com/specdrivers/onion/runtime/internal/encrypt/key"
	"github.com/specdrivers/onion/runtime/internal/encrypt/payload"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis"
)

// resolve finds the schemas of a command's collections: in the options, in the command itself, among those that are known from before,
// and at last on the server, which takes one command for all collections.
func (a *Auto) resolve(ctx context.Context, t queryanalysis.Target) (map[string]collection, error) {
	known := map[string]collection{}
	var ask []string
	for _, name := range t.Collections {
		namespace := t.Database + "." + name
		c, ok, err := a.findLocal(ctx, t, name, namespace)
		switch {
		case err != nil:
			return nil, err
		case ok:
			known[name] = c
		case name == t.Collection && (t.EncryptedFields != nil || t.JSONSchema != nil):
			if c, err = a.findInCommand(ctx, t, namespace); err != nil {
				return nil, err
			}
			known[name] = c
		case a.Schemas[namespace] != nil:
			if c.schema, err = queryanalysis.FromJSONSchema(a.Schemas[namespace], false); err != nil {
				return nil, err
			}
			known[name] = c
			a.keep(namespace, c)
		case name == t.Collection && t.Name == "create":
			known[name] = collection{}
		case !slices.Contains(ask, name):
			ask = append(ask, name)
		}
	}
	if len(ask) > 0 {
		if err := a.askServer(ctx, t.Database, ask, known); err != nil {
			return nil, err
		}
	}
	for name, c := range known {
		if c.view {
			return nil, fmt.Errorf("encrypt: %s", analysis.View(t.Database+"."+name))
		}
	}
	return known, nil
}

// findLocal finds a collection in the options' encryptedFields, or among those known from before.
func (a *Auto) findLocal(ctx context.Context, t queryanalysis.Target, name, namespace string) (collection, bool, error) {
	own := name == t.Collection && (t.EncryptedFields != nil || t.JSONSchema != nil || t.Name == "create")
	fields := a.EncryptedFields[namespace]
	if fields == nil && own {
		return collection{}, false, nil
	}
	a.mu.Lock()
	c, ok := a.known[namespace]
	if ok && time.Since(c.since) >= kmstable.CollectionInfoExpiration {
		delete(a.known, namespace)
		ok = false
	}
	a.mu.Unlock()
	if ok || fields == nil {
		return c, ok, nil
	}
	c, err := a.compileFields(ctx, fields, namespace)
	return c, err == nil, err
}

// findInCommand compiles the schema in create and collMod.
func (a *Auto) findInCommand(ctx context.Context, t queryanalysis.Target, namespace string) (c collection, err error) {
	if t.EncryptedFields != nil {
		c.fields, err = a.replaceKeyNames(ctx, t.EncryptedFields)
		if err == nil {
			c.schema, err = queryanalysis.FromEncryptedFields(c.fields)
		}
		return c, err
	}
	c.schema, err = queryanalysis.FromJSONSchema(t.JSONSchema, true) // the rules of a whole validator
	if err != nil {
		err = fmt.Errorf("the validator of %s: %w", namespace, err)
	}
	return c, err
}

// compileFields compiles encryptedFields and remembers them.
func (a *Auto) compileFields(ctx context.Context, fields bson.Raw, namespace string) (c collection, err error) {
	if c.fields, err = a.replaceKeyNames(ctx, fields); err != nil {
		return c, err
	}
	if c.schema, err = queryanalysis.FromEncryptedFields(c.fields); err != nil {
		return c, err
	}
	a.keep(namespace, c)
	return c, nil
}

// forget drops the schemas that a command outdates. If another operation reads one again before the server has run the command, the
// old schema is used until it expires.
func (a *Auto) forget(t queryanalysis.Target, cmd bson.Raw) {
	what := analysis.ForgetsOf(t.Name)
	if what == analysis.ForgetsNothing {
		return
	}
	first, _ := cmd.Index(0)
	name, _ := first.Value.StringOK()
	to, _ := cmd.Lookup("to").StringOK()
	a.mu.Lock()
	defer a.mu.Unlock()
	switch what {
	case analysis.ForgetsCollection:
		delete(a.known, t.Database+"."+name)
	case analysis.ForgetsDatabase:
		maps.DeleteFunc(a.known, func(namespace string, _ collection) bool { return strings.HasPrefix(namespace, t.Database+".") })
	case analysis.ForgetsBoth:
		delete(a.known, name)
		delete(a.known, to)
	}
}

func (a *Auto) keep(namespace string, c collection) {
	c.since = time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known == nil {
		a.known = map[string]collection{}
	}
	a.known[namespace] = c
}

// askServer reads what the server says about collections. A collection that it does not know has no encrypted field; that is remembered,
// too.
func (a *Auto) askServer(ctx context.Context, db string, names []string, known map[string]collection) error {
	infos, err := a.Collections(ctx, db, names)
	if err != nil {
		return fmt.Errorf("encrypt: reading the schemas of the collections: %w", err)
	}
	for _, info := range infos {
		name, _ := info.Lookup("name").StringOK()
		if !slices.Contains(names, name) {
			continue
		}
		c, err := a.compileInfo(ctx, info, db+"."+name)
		if err != nil {
			return err
		}
		known[name] = c
	}
	for _, name := range names {
		if _, ok := known[name]; !ok {
			known[name] = collection{}
			a.keep(db+"."+name, collection{})
		}
	}
	return nil
}

func (a *Auto) compileInfo(ctx context.Context, info bson.Raw, namespace string) (c collection, err error) {
	kind, _ := info.Lookup("type").StringOK()
	if kind == "view" {
		c.view = true
		a.keep(namespace, c)
		return c, nil
	}
	if fields, ok := info.Lookup("options", encryption.FieldEncryptedFields).DocumentOK(); ok {
		return a.compileFields(ctx, fields, namespace)
	}
	if schema, ok := info.Lookup("options", "validator", analysis.OpJSONSchema).DocumentOK(); ok {
		if c.schema, err = queryanalysis.FromJSONSchema(schema, true); err != nil {
			return c, err
		}
		if validator, _ := info.Lookup("options", "validator").DocumentOK(); validator.Len() > 1 && c.schema.Mode() != queryanalysis.None {
			return c, fmt.Errorf("encrypt: %s", analysis.SchemaSiblings(namespace))
		}
	}
	a.keep(namespace, c)
	return c, nil
}

// FieldsOf returns the encryptedFields in the options for a namespace, or nil.
func (a *Auto) FieldsOf(namespace string) bson.Raw { return a.EncryptedFields[namespace] }

// errBothKeys repeats the words of libmongocrypt, which suites look for.
var errBothKeys = errors.New("encrypt: only one of 'keyId' or 'keyAltName may be in 'field' document")

// replaceKeyNames replaces the keyAltName of fields by the keyId of the key that has the name.
func (a *Auto) replaceKeyNames(ctx context.Context, fields bson.Raw) (bson.Raw, error) {
	var refs []payload.Ref
	list, _ := fields.Lookup(encryption.FieldFields).ArrayOK()
	for _, item := range list.All() {
		field, _ := item.DocumentOK()
		name, ok := field.Lookup(encryption.FieldKeyAltName).StringOK()
		if !ok {
			continue
		}
		if !field.Lookup(encryption.FieldKeyID).IsZero() {
			return nil, errBothKeys
		}
		ref := payload.Ref{Name: name}
		if slices.Contains(refs, ref) {
			return nil, fmt.Errorf("encrypt: duplicate keyAltName '%s' found in encrypted field config", name)
		}
		refs = append(refs, ref)
	}
	if len(refs) == 0 {
		return fields, nil
	}
	keys := key.NewSet()
	defer keys.Wipe()
	if err := a.Ring.Add(ctx, keys, refs); err != nil {
		return nil, err
	}
	return RewriteList(fields, encryption.FieldFields, func(dst []byte, field bson.Raw) ([]byte, error) {
		dst, start := bson.AppendDocumentStart(dst)
		for key, value := range field.All() {
			name, ok := value.StringOK()
			if key != encryption.FieldKeyAltName || !ok {
				dst = bson.AppendRawValueElement(dst, key, value)
				continue
			}
			id, _, err := keys.Key(payload.Ref{Name: name})
			if err != nil {
				return nil, err
			}
			dst = bson.AppendBinaryElement(dst, encryption.FieldKeyID, bsontype.BinaryUUID, id[:])
		}
		return bson.AppendDocumentEnd(dst, start), nil
	})
}

// completeFields fills in what the encryptedFields in a command leave out: the ids of keys that they name, and the version in which texts
// are encoded. known are the encryptedFields that apply to the collection; they may come from the options.
func (a *Auto) completeFields(ctx context.Context, t queryanalysis.Target, cmd, known bson.Raw) (bson.Raw, error) {
	fields, err := a.replaceKeyNames(ctx, t.EncryptedFields)
	if err != nil {
		return nil, err
	}
	got, want := fields.Lookup(versionField), encodingVersion(known)
	if given, _ := got.AsInt64OK(); !got.IsZero() && given != want {
		return nil, fmt.Errorf("encrypt: the strEncodeVersion %s of the encryptedFields of the command is not the %d of the options",
			got, want)
	}
	if got.IsZero() && want != 0 {
		dst, start := reopen(nil, fields)
		fields = bson.AppendDocumentEnd(bson.AppendInt32Element(dst, versionField, int32(want)), start)
	}
	dst, start := bson.AppendDocumentStart(make([]byte, 0, len(cmd)+len(fields)))
	for name, value := range cmd.All() {
		if analysis.OfArgument(t.Name, name) == analysis.ArgumentSchema {
			dst = bson.AppendDocumentElement(dst, name, fields)
		} else {
			dst = bson.AppendRawValueElement(dst, name, value)
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
}
