package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/encrypted"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var encryptedFieldsFields = []field{
	{"escCollection", 0, text}, {"ecocCollection", 0, text}, {"fields", 0, array | required}, {"strEncodeVersion", wire.Server82, integer},
	{"eccCollection", 0, text},
}

var encryptedFieldFields = []field{
	{"keyId", 0, uuid | required}, {"path", 0, text | required}, {"bsonType", 0, text}, {"queries", 0, anything},
}

var encryptedQueryFields = []field{
	{"queryType", 0, text | required}, {"contention", 0, integer}, {"min", wire.Server62, anything}, {"max", wire.Server62, anything},
	{"sparsity", wire.Server62, integer}, {"precision", wire.Server62, integer}, {"trimFactor", wire.Server80, integer},
	{"strMaxLength", wire.Server82, integer}, {"strMinQueryLength", wire.Server82, integer}, {"strMaxQueryLength", wire.Server82, integer},
	{"caseSensitive", wire.Server82, flag}, {"diacriticSensitive", wire.Server82, flag},
}

// queryTypes are the query types and the versions that have them: since from, and before until.
var queryTypes = map[string]struct{ since, until int32 }{
	"equality":         {wire.Server60, 0},
	"rangePreview":     {wire.Server62, wire.Server80},
	"range":            {wire.Server80, 0},
	"prefixPreview":    {wire.Server82, wire.Server90},
	"suffixPreview":    {wire.Server82, wire.Server90},
	"substringPreview": {wire.Server82, wire.Server90},
	"prefix":           {wire.Server90, 0},
	"suffix":           {wire.Server90, 0},
	"substring":        {wire.Server90, 0},
}

// checkEncryptedFields checks the option of create.
func (r *Request) checkEncryptedFields(name string, spec bson.Raw) error {
	in, err := r.parseStatement("create.encryptedFields", spec, encryptedFieldsFields)
	if err != nil {
		return err
	}
	for _, v := range value.Elements(in.get("fields")) {
		d, ok := v.DocumentOK()
		if !ok {
			return status.WrongType("create.encryptedFields.fields", v, "object")
		}
		f, err := r.parseStatement("create.encryptedFields.fields", d, encryptedFieldFields)
		if err != nil {
			return err
		}
		if err := r.checkQueries(f.get("queries")); err != nil {
			return err
		}
	}
	s, err := encrypted.NewSchema(r.DB, name, spec)
	if err != nil {
		return err
	}
	if err := s.CheckNames(); err != nil {
		return err
	}
	return s.CheckFields()
}

// checkQueries checks the query types of a field: one document, or an array of them.
func (r *Request) checkQueries(v bson.RawValue) error {
	if v.IsZero() {
		return nil
	}
	list := []bson.RawValue{v}
	if _, ok := v.ArrayOK(); ok {
		list = value.Elements(v)
	}
	for _, e := range list {
		d, ok := e.DocumentOK()
		if !ok {
			return status.WrongType("create.encryptedFields.fields.queries", e, "object")
		}
		if err := r.checkQuery(d); err != nil {
			return err
		}
	}
	return nil
}

// checkQuery checks one query type.
func (r *Request) checkQuery(d bson.Raw) error {
	const owner = "create.encryptedFields.fields.queries"
	q, err := r.parseStatement(owner, d, encryptedQueryFields)
	if err != nil {
		return err
	}
	name, sparsity := q.text("queryType"), q.int("sparsity")
	t, ok := queryTypes[name]
	switch {
	case !ok || r.WireVersion < t.since || t.until != 0 && r.WireVersion >= t.until:
		return status.Errorf(errcode.BadValue, "Enumeration value '%s' for field '%s.queryType' is not a valid value.", name, owner)
	case q.has("contention") && q.int("contention") < 0:
		return status.Errorf(51024, "BSON field '%s.contention' value must be >= 0, actual value '%d'", owner, q.int("contention"))
	case q.has("sparsity") && (sparsity < 1 || sparsity > 8):
		return status.Errorf(51024, "BSON field '%s.sparsity' value must be >= 1 and <= 8, actual value '%d'", owner, sparsity)
	}
	return nil
}
