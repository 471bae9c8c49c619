package schema

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
)

// maxDepth bounds the nesting of schemas. MongoDB nests documents no deeper than 180 levels.
const maxDepth = 200

// FromJSONSchema compiles the value of $jsonSchema. A remote schema, which a server enforces, may say more than a local one.
func FromJSONSchema(doc bson.Raw, remote bool) (*Node, error) {
	if err := doc.Validate(); err != nil {
		return nil, invalidf("", "%v", err)
	}
	p := &jsonSchema{remote: remote}
	n, err := p.parse(doc, scope{allowed: true})
	if err != nil {
		return nil, err
	}
	for _, f := range p.pointers {
		if at, err := n.Lookup(strings.Join(f.KeyPath, ".")); err != nil || at != nil {
			return nil, invalidf(f.Path, "keyId points to an encrypted field")
		}
	}
	return n, nil
}

type jsonSchema struct {
	remote   bool
	pointers []*Field
}

// scope is what the schemas above hand down.
type scope struct {
	path     string
	depth    int
	allowed  bool // encrypt may stand here
	metadata metadata
}

// metadata is what encryptMetadata holds. The nearest one counts, field by field.
type metadata struct {
	keyID     bson.RawValue
	algorithm string
}

func invalidf(path, format string, args ...any) error {
	return refusal.Text(analysis.OpJSONSchema, path, analysis.InvalidSchema(fmt.Sprintf(format, args...)))
}

// parse reads one schema. The result is nil if nothing in it is encrypted.
func (p *jsonSchema) parse(doc bson.Raw, s scope) (*Node, error) {
	if s.depth > maxDepth {
		return nil, invalidf(s.path, "it is nested too deeply")
	}
	if enc := doc.Lookup("encrypt"); !enc.IsZero() {
		return p.readEncrypt(doc, enc, s)
	}
	if v := doc.Lookup("encryptMetadata"); !v.IsZero() {
		if err := s.metadata.read(v, s); err != nil {
			return nil, err
		}
	}
	out := &Node{}
	for key, v := range doc.All() {
		if err := p.readKeyword(out, key, v, s); err != nil {
			return nil, err
		}
	}
	if out.saysNothing() {
		return nil, nil
	}
	if !isObject(doc) {
		return nil, invalidf(s.path, "a schema above an encrypted field needs bsonType 'object'")
	}
	return out, nil
}

func (p *jsonSchema) readKeyword(out *Node, key string, v bson.RawValue, s scope) (err error) {
	doc, isDoc := v.DocumentOK()
	switch key {
	case "properties", "patternProperties":
		if !isDoc {
			return invalidf(s.path, "%s must be a document", key)
		}
		return p.readProperties(out, key == "patternProperties", doc, s)
	case "additionalProperties":
		if isDoc {
			out.rest, err = p.parse(doc, s.child("*"))
		}
		return err
	case encryption.FieldBSONType, "type", "title", "description", "encryptMetadata":
		return nil
	}
	if err := p.forbidEncrypt(v, s); err != nil || key == "items" || key == "additionalItems" {
		return err
	}
	if !p.remote {
		return refusal.Text(analysis.OpJSONSchema, s.path, analysis.RemoteKeyword(key))
	}
	return nil
}

func (s scope) child(name string) scope {
	s.depth++
	if s.path != "" {
		name = s.path + "." + name
	}
	s.path = name
	return s
}

// readProperties reads the children of a schema.
func (p *jsonSchema) readProperties(out *Node, patterns bool, doc bson.Raw, s scope) error {
	for name, v := range doc.All() {
		sub, ok := v.DocumentOK()
		if !ok {
			return invalidf(s.child(name).path, "a property must be a document")
		}
		c, err := p.parse(sub, s.child(name))
		if err != nil {
			return err
		}
		if c == nil {
			if !patterns {
				out.set(name, nil)
			}
			continue
		}
		if !patterns {
			out.set(name, c)
			continue
		}
		re, err := regexp.Compile(name)
		if err != nil {
			return invalidf(s.child(name).path, "its pattern cannot be parsed")
		}
		out.patterns = append(out.patterns, pattern{re, c})
	}
	return nil
}

// set gives a name its node. A plain node overrules additionalProperties, but neither patterns nor an earlier node of the same name.
func (n *Node) set(name string, c *Node) {
	if n.children == nil {
		n.children = map[string]*Node{}
	}
	n.children[name] = joinBoth(n.children[name], c)
}

// forbidEncrypt refuses encrypt below keywords that are about more than the fields of one document: keywords of arrays,
// logical ones and unknown ones.
func (p *jsonSchema) forbidEncrypt(v bson.RawValue, s scope) error {
	s.allowed = false
	s.depth++
	if s.depth > maxDepth {
		return invalidf(s.path, "it is nested too deeply")
	}
	if v.Type != bsontype.EmbeddedDocument && v.Type != bsontype.Array {
		return nil
	}
	for key, c := range bson.Raw(v.Value).All() {
		if v.Type == bsontype.EmbeddedDocument && (key == "encrypt" || key == "encryptMetadata") {
			return invalidf(s.path, "'%s' is not allowed in arrays and logical keywords", key)
		}
		if err := p.forbidEncrypt(c, s); err != nil {
			return err
		}
	}
	return nil
}

// isObject reports whether a schema is about documents only.
func isObject(doc bson.Raw) bool {
	for _, key := range []string{encryption.FieldBSONType, "type"} {
		v := doc.Lookup(key)
		if list, ok := v.ArrayOK(); ok && list.Len() == 1 {
			v, _ = list.Index(0)
		}
		if s, ok := v.StringOK(); ok && s == "object" {
			return true
		}
	}
	return false
}

// readEncrypt reads a schema with the keyword encrypt.
func (p *jsonSchema) readEncrypt(doc bson.Raw, enc bson.RawValue, s scope) (*Node, error) {
	for key := range doc.All() {
		if key != "encrypt" && key != "title" && key != "description" {
			return nil, invalidf(s.path, "'encrypt' cannot be used in conjunction with '%s'", key)
		}
	}
	options, ok := enc.DocumentOK()
	if !ok || !s.allowed || s.path == "" {
		return nil, invalidf(s.path, "'encrypt' must be a document inside a property")
	}
	f := &Field{Path: s.path}
	if err := s.metadata.read(enc, s); err != nil {
		return nil, err
	}
	if err := f.readTypes(options.Lookup(encryption.FieldBSONType)); err != nil {
		return nil, err
	}
	if err := f.readKey(s.metadata.keyID); err != nil {
		return nil, err
	}
	if f.KeyPath != nil {
		p.pointers = append(p.pointers, f)
	}
	return NewField(f), f.readAlgorithm(s.metadata.algorithm)
}

// read reads a document of encrypt or encryptMetadata.
func (m *metadata) read(v bson.RawValue, s scope) error {
	doc, ok := v.DocumentOK()
	if !ok {
		return invalidf(s.path, "'encryptMetadata' must be a document")
	}
	for key, v := range doc.All() {
		switch key {
		case encryption.FieldKeyID:
			m.keyID = v
		case encryption.FieldAlgorithm:
			if m.algorithm, ok = v.StringOK(); !ok {
				return invalidf(s.path, "'algorithm' must be a string")
			}
		case encryption.FieldBSONType:
		default:
			return invalidf(s.path, "the option '%s' is unknown", key)
		}
	}
	return nil
}

func (f *Field) readTypes(v bson.RawValue) error {
	if v.IsZero() {
		return nil
	}
	if name, ok := v.StringOK(); ok {
		f.Types = []string{name}
		return nil
	}
	list, ok := v.ArrayOK()
	if !ok || list.Len() == 0 {
		return invalidf(f.Path, "'bsonType' must be the name of a type, or several")
	}
	for _, t := range list.All() {
		name, ok := t.StringOK()
		if !ok {
			return invalidf(f.Path, "'bsonType' must be the name of a type, or several")
		}
		f.Types = append(f.Types, name)
	}
	return nil
}

func (f *Field) readKey(v bson.RawValue) error {
	if pointer, ok := v.StringOK(); ok && strings.HasPrefix(pointer, "/") {
		for _, name := range strings.Split(pointer[1:], "/") {
			f.KeyPath = append(f.KeyPath, strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
		}
		return nil
	}
	list, ok := v.ArrayOK()
	if !ok || list.Len() != 1 {
		return invalidf(f.Path, "'keyId' must be an array of one UUID, or a JSON pointer")
	}
	id, _ := list.Index(0)
	f.KeyID = new(bson.UUID)
	if f.KeyID.DecodeBSONValue(id) != nil {
		return invalidf(f.Path, "'keyId' must be an array of one UUID, or a JSON pointer")
	}
	return nil
}

func (f *Field) readAlgorithm(name string) error {
	switch name {
	case options.AlgorithmRandom:
		f.Kind = analysis.KindRandom
		if f.Path == "_id" {
			return invalidf(f.Path, "_id can be encrypted only deterministically")
		}
	case options.AlgorithmDeterministic:
		f.Kind = analysis.KindDeterministic
		if len(f.Types) != 1 {
			return invalidf(f.Path, "deterministic encryption needs exactly one bsonType")
		}
		if f.KeyPath != nil {
			return invalidf(f.Path, "deterministic encryption needs a keyId that is not a JSON pointer")
		}
	default:
		return invalidf(f.Path, "'algorithm' is unknown")
	}
	for _, t := range f.Types {
		if !f.Kind.Takes(t) {
			return invalidf(f.Path, "%s", analysis.CannotEncryptType(t))
		}
	}
	return nil
}
