package encrypt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/encrypt/key"
	"github.com/specdrivers/onion/runtime/internal/encrypt/payload"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// addInformation adds what the server must know about the encrypted fields, where the command takes it.
func addInformation(t queryanalysis.Target, cmd bson.Raw, known map[string]collection) (bson.Raw, error) {
	switch t.Information {
	case analysis.InformationMarked:
		if !payload.Queryable(cmd) {
			return cmd, nil
		}
	case analysis.InformationAlways:
	case analysis.InformationNested:
		return addNestedInformation(t, cmd, known)
	case analysis.InformationNamespace:
		return addNamespaceInformation(t, cmd, known)
	default:
		return cmd, nil
	}
	return appendInformation(cmd, t, known), nil
}

// appendInformation adds encryptionInformation at the end of a document.
func appendInformation(doc bson.Raw, t queryanalysis.Target, known map[string]collection) bson.Raw {
	dst := append(make([]byte, 0, len(doc)+512), doc[:len(doc)-1]...)
	dst, information := bson.AppendDocumentElementStart(dst, "encryptionInformation")
	dst = bson.AppendInt32Element(dst, "type", 1)
	dst, schema := bson.AppendDocumentElementStart(dst, "schema")
	for _, name := range t.Collections {
		switch c := known[name]; {
		case c.fields != nil:
			dst = appendFields(dst, t.Database+"."+name, c.fields, name)
		case c.schema == nil: // upstream's libraries name a joined collection without any schema, but not one with a JSON schema
			dst = appendFields(dst, t.Database+"."+name, bson.EmptyDocument(), name)
		}
	}
	dst = bson.AppendDocumentEnd(bson.AppendDocumentEnd(dst, schema), information)
	return bson.AppendDocumentEnd(dst, 0)
}

// appendFields appends encryptedFields, and fills in what they leave out.
func appendFields(dst []byte, element string, fields bson.Raw, collection string) []byte {
	dst, start := bson.AppendDocumentElementStart(dst, element)
	dst = append(dst, fields[4:len(fields)-1]...)
	for _, state := range []struct{ field, suffix string }{
		{encryption.FieldESCCollection, "esc"}, {encryption.FieldECOCCollection, "ecoc"},
	} {
		if fields.Lookup(state.field).IsZero() {
			dst = bson.AppendStringElement(dst, state.field, encryption.StatePrefix+collection+"."+state.suffix)
		}
	}
	if fields.Lookup(encryption.FieldFields).IsZero() {
		var list int
		dst, list = bson.AppendArrayElementStart(dst, encryption.FieldFields)
		dst = bson.AppendDocumentEnd(dst, list)
	}
	if fields.Lookup(versionField).IsZero() && encodingVersion(fields) != 0 {
		dst = bson.AppendInt32Element(dst, versionField, schema.StrEncodeVersion)
	}
	return bson.AppendDocumentEnd(dst, start)
}

const versionField = encryption.FieldStrEncodeVersion

// encodingVersion returns the version in which texts are encoded: the one that encryptedFields name, or the only version if there are
// texts to search. It returns 0 if there are none.
func encodingVersion(fields bson.Raw) int64 {
	if given, ok := fields.Lookup(versionField).AsInt64OK(); ok {
		return given
	}
	if hasQueries(fields, isText) {
		return schema.StrEncodeVersion
	}
	return 0
}

// addNestedInformation is addInformation for the command inside an explain.
func addNestedInformation(t queryanalysis.Target, cmd bson.Raw, known map[string]collection) (bson.Raw, error) {
	dst, start := bson.AppendDocumentStart(make([]byte, 0, len(cmd)+512))
	for name, value := range cmd.All() {
		inner, ok := value.DocumentOK()
		first, _ := inner.Index(0)
		_, information := analysis.OfCommand(first.Key)
		if analysis.OfArgument(name, name) != analysis.ArgumentCommand || !ok ||
			information == analysis.InformationMarked && !payload.Queryable(inner) ||
			information == analysis.InformationNone {
			dst = bson.AppendRawValueElement(dst, name, value)
			continue
		}
		dst = bson.AppendDocumentElement(dst, name, appendInformation(inner, t, known))
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// addNamespaceInformation is addInformation for a bulk write, which has its one namespace in an argument.
func addNamespaceInformation(t queryanalysis.Target, cmd bson.Raw, known map[string]collection) (bson.Raw, error) {
	for name := range cmd.All() {
		if analysis.OfArgument(t.Name, name) == analysis.ArgumentNamespaces {
			return RewriteList(cmd, name, func(dst []byte, namespace bson.Raw) ([]byte, error) {
				return append(dst, appendInformation(namespace, t, known)...), nil
			})
		}
	}
	return cmd, nil
}

// isText reports whether a type of query searches in texts.
func isText(queryType string) bool {
	q := strings.TrimSuffix(queryType, "Preview")
	return q == options.QueryTypePrefix || q == options.QueryTypeSuffix || q == options.QueryTypeSubstring
}

func isRange(queryType string) bool { return strings.HasPrefix(queryType, options.QueryTypeRange) }

// hasQueries reports whether a field has a query of some type.
func hasQueries(fields bson.Raw, is func(queryType string) bool) bool {
	list, _ := fields.Lookup(encryption.FieldFields).ArrayOK()
	for _, item := range list.All() {
		if field, ok := item.DocumentOK(); ok && fieldHas(field, is) {
			return true
		}
	}
	return false
}

func fieldHas(field bson.Raw, is func(queryType string) bool) bool {
	queries := field.Lookup(encryption.FieldQueries)
	list := []bson.RawValue{queries}
	if array, ok := queries.ArrayOK(); ok {
		list = nil
		for _, item := range array.All() {
			list = append(list, item)
		}
	}
	return slices.ContainsFunc(list, func(v bson.RawValue) bool {
		query, ok := v.DocumentOK()
		queryType, _ := query.Lookup(encryption.FieldQueryType).StringOK()
		return ok && is(queryType)
	})
}

// addCompactionTokens adds the tokens with which the server compacts or cleans up the state collections: one for each field with a
// key.
func (a *Auto) addCompactionTokens(ctx context.Context, t queryanalysis.Target, cmd bson.Raw) (bson.Raw, error) {
	first, _ := cmd.Index(0)
	name, ok := first.Value.StringOK()
	if !ok {
		return cmd, nil // the server will say what is wrong with it
	}
	t.Collection, t.Collections = name, []string{name}
	known, err := a.resolve(ctx, t)
	if err != nil {
		return nil, err
	}
	c := known[name]
	if c.fields == nil {
		return cmd, nil
	}
	compaction := t.Name == "compactStructuredEncryptionData"
	wide := hasQueries(c.fields, func(q string) bool { return isText(q) || isRange(q) })
	out := cmd
	if compaction && wide {
		out = appendInformation(cmd, t, known)
	}
	dst := append([]byte(nil), out[:len(out)-1]...)
	field := "cleanupTokens"
	if compaction {
		field = "compactionTokens"
	}
	dst, tokens := bson.AppendDocumentElementStart(dst, field)
	if dst, err = a.appendTokens(ctx, dst, c.fields); err != nil {
		return nil, err
	}
	return bson.AppendDocumentEnd(bson.AppendDocumentEnd(dst, tokens), 0), nil
}

// appendTokens appends a token for each field, the last field first, as other drivers do.
func (a *Auto) appendTokens(ctx context.Context, dst []byte, fields bson.Raw) ([]byte, error) {
	type named struct {
		path string
		ref  payload.Ref
		wide bool
	}
	var all []named
	var refs []payload.Ref
	list, _ := fields.Lookup(encryption.FieldFields).ArrayOK()
	for _, item := range list.All() {
		field, _ := item.DocumentOK()
		path, _ := field.Lookup(encryption.FieldPath).StringOK()
		_, id, ok := field.Lookup(encryption.FieldKeyID).BinaryOK()
		if !ok || len(id) != 16 {
			return nil, fmt.Errorf("encrypt: the encrypted field %q has no keyId", path)
		}
		ref := payload.Ref{ID: bson.UUID(id)}
		refs = append(refs, ref)
		all = append(all, named{path, ref, fieldHas(field, func(q string) bool { return isText(q) || isRange(q) })})
	}
	keys := key.NewSet()
	defer keys.Wipe()
	if err := a.Ring.Add(ctx, keys, refs); err != nil {
		return nil, err
	}
	for _, f := range slices.Backward(all) {
		_, k, err := keys.Key(f.ref)
		if err != nil {
			return nil, err
		}
		root := encryption.CollectionsLevel1Token(k.TokenKey())
		ecoc := encryption.ECOCToken(root)
		if !f.wide {
			dst = bson.AppendBinaryElement(dst, f.path, bsontype.BinaryGeneric, ecoc[:])
			continue
		}
		padding := encryption.AnchorPaddingTokenRoot(encryption.ESCToken(root))
		var inner int
		dst, inner = bson.AppendDocumentElementStart(dst, f.path)
		dst = bson.AppendBinaryElement(dst, "ecoc", bsontype.BinaryGeneric, ecoc[:])
		dst = bson.AppendBinaryElement(dst, "anchorPaddingToken", bsontype.BinaryGeneric, padding[:])
		dst = bson.AppendDocumentEnd(dst, inner)
	}
	return dst, nil
}
