package encrypted

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// Schema says which fields of a collection's documents are encrypted, and how. All its fields are for client-side field
// level encryption, or all for Queryable Encryption. A collection cannot use both.
type Schema []Field

// Field is an encrypted field.
type Field struct {
	// Path is the path of the field, with dots between the names. It cannot lead through an array.
	Path string

	// Type is the BSON type of the values, under its $type name. Only AlgorithmRandom and AlgorithmUnindexed do not
	// need it.
	Type string

	// Algorithm is options.AlgorithmDeterministic or options.AlgorithmRandom for client-side field level encryption. It
	// is empty or options.AlgorithmUnindexed for Queryable Encryption.
	Algorithm string

	// Key names the data key: by its UUID in hexadecimal or by one of its alternate names. With AlgorithmRandom it can
	// also be a slash and the path of the document's field that holds the alternate name, such as "/owner". Queryable
	// Encryption needs a different key for each field. ClientEncryption.CreateEncryptedCollection makes those that are
	// not named.
	Key string

	// Queries are the queries that Queryable Encryption supports on the field. Only text queries (prefix, suffix,
	// substring) can be combined.
	Queries []Query

	source string // the field of the struct that it comes from
}

// Query is a kind of query that an encrypted field supports. Unset fields have the server's defaults, unless they say
// otherwise.
type Query struct {
	// Type is one of the constants of package options whose names begin with QueryType.
	Type string

	// Contention is the contention factor. A higher one hides better how often a value occurs, but makes queries
	// slower.
	Contention *int64

	// Min, Max, Sparsity, Precision and TrimFactor are the options of a range query. Dates and integers need Min and
	// Max, which have the type of the values. Doubles and decimals need Min, Max and Precision, or none of the three.
	Min, Max   any
	Sparsity   *int64
	Precision  *int32
	TrimFactor *int32

	// StrMinQueryLength and StrMaxQueryLength bound the length of the text that is searched for, in characters.
	// StrMaxLength bounds the whole text, and is for substring queries only.
	StrMinQueryLength, StrMaxQueryLength, StrMaxLength int32

	// CaseSensitive and DiacriticSensitive make case and diacritics matter. Both are true when unset.
	CaseSensitive, DiacriticSensitive *bool
}

// Keys lists the alternate names of data keys that the schema uses, each once. JSONSchema needs the IDs of all of them.
func (s Schema) Keys() []string {
	var names []string
	for _, f := range s {
		if id, pointer := f.describeKey(); f.Key != "" && id == nil && !pointer && !slices.Contains(names, f.Key) {
			names = append(names, f.Key)
		}
	}
	return names
}

// describeKey returns the id if the field names its key by id, and reports whether it names the key by a path in the document.
func (f *Field) describeKey() (id *bson.UUID, pointer bool) {
	if strings.HasPrefix(f.Key, "/") {
		return nil, true
	}
	if parsed, err := bson.ParseUUID(f.Key); err == nil {
		return &parsed, false
	}
	return nil, false
}

// isQueryable reports whether a field is for Queryable Encryption.
func (f *Field) isQueryable() bool {
	return len(f.Queries) > 0 || f.Algorithm == "" || strings.EqualFold(f.Algorithm, options.AlgorithmUnindexed)
}

// errorf returns an error about a field. It says what to write where: in the tag of the struct, if the field comes from
// one.
func (f *Field) errorf(format string, args ...any) error {
	where := fmt.Sprintf("the field %q", f.Path)
	if f.source != "" {
		where = fmt.Sprintf("the field %s (%q in BSON)", f.source, f.Path)
	}
	return fmt.Errorf("encrypted: %s %s", where, fmt.Sprintf(format, args...))
}

// remedy says what to add: an option of a tag, or a field of a Field.
func (f *Field) remedy(tag, field string) string {
	if f.source != "" {
		return "add " + tag + " to its tag encrypt"
	}
	return "set " + field
}

var errEmpty = errors.New("encrypted: the schema has no field: give a field of the struct a tag such as " +
	"`encrypt:\"random,key=people\"`, or list the fields")

// check finds mistakes that do not depend on the form of the schema.
func (s Schema) check() error {
	if len(s) == 0 {
		return errEmpty
	}
	var wrong []error
	for i := range s {
		f := &s[i]
		switch {
		case f.Path == "" || slices.Contains(strings.Split(f.Path, "."), ""):
			wrong = append(wrong, f.errorf("has a path with an empty name: write names with dots between them"))
		case slices.ContainsFunc(s[:i], func(o Field) bool { return isAtOrBelow(o.Path, f.Path) || isAtOrBelow(f.Path, o.Path) }):
			wrong = append(wrong, f.errorf("is encrypted twice: "+
				"a field is encrypted as a whole, so nothing in it can be encrypted again"))
		case f.Type != "" && !schema.IsType(f.Type):
			wrong = append(wrong, f.errorf("has the unknown BSON type %q: "+
				"write it as $type does, such as string, int, long, date or object", f.Type))
		case f.isQueryable() != s[0].isQueryable():
			wrong = append(wrong, f.errorf("and %q are for different kinds of encryption: "+
				"a collection has either deterministic and random fields, "+
				"or fields of Queryable Encryption", s[0].Path))
		}
	}
	return errors.Join(wrong...)
}

// isAtOrBelow reports whether a path equals start or leads on from it.
func isAtOrBelow(path, start string) bool {
	return path == start || strings.HasPrefix(path, start+".")
}
