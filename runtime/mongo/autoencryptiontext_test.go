package mongo_test

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Prose test 27 of client-side-encryption/tests/README.md.

// explicitCollection makes db.explicit_encryption and opens it with a client that analyses no queries.
func (s *encryptionScene) explicitCollection(t *testing.T, fields bson.D) *mongo.Collection {
	t.Helper()
	client, _ := s.connectEncrypting(t, &options.AutoEncryption{BypassQueryAnalysis: new(true)})
	db := client.Database("db")
	if err := db.CreateCollection(t.Context(), "explicit_encryption", &options.CreateCollection{EncryptedFields: fields}); err != nil {
		t.Fatal(err)
	}
	return db.Collection("explicit_encryption")
}

func equality(contention int64) bson.D {
	return bson.Doc("queryType", "equality", "contention", contention)
}

func store(t *testing.T, c *mongo.Collection, doc bson.D) {
	t.Helper()
	if _, err := c.InsertOne(t.Context(), doc); err != nil {
		t.Fatal(err)
	}
}

// textScene is a collection of prose test 27: prefixes and suffixes, or parts.
func textScene(t *testing.T, version string, parts, folded bool) (*encryptionScene, *mongo.Collection, *mongo.Collection) {
	t.Helper()
	s := newEncryptionScene(t, mongotest.Version(version))
	preview := ""
	if version == "8.2" {
		preview = "Preview"
	}
	query := func(kind string, more ...any) bson.D {
		d := bson.Doc("queryType", kind+preview, "contention", int64(0), "strMinQueryLength", int32(2),
			"caseSensitive", !folded, "diacriticSensitive", !folded)
		return append(d, bson.Doc(more...)...)
	}
	queries := bson.A{query("prefix", "strMaxQueryLength", int32(10)), query("suffix", "strMaxQueryLength", int32(10))}
	if parts {
		queries = bson.A{query("substring", "strMaxQueryLength", int32(6), "strMaxLength", int32(10))}
	}
	fields := encryptedFields(bson.Doc("path", "encryptedText", "bsonType", "string", "keyId", s.keys[0], "queries", queries))
	explicit := s.explicitCollection(t, fields)
	client, _ := s.connectEncrypting(t, nil)
	return s, explicit, client.Database("db").Collection("explicit_encryption")
}

// textOptions returns the options that index the texts of a scene or, with a query, search for one.
func textOptions(kind, query string, folded bool) *options.Encrypt {
	o := &options.String{CaseSensitive: !folded, DiacriticSensitive: !folded}
	if kind == "prefix" || kind == "both" {
		o.Prefix = &options.Prefix{StrMinQueryLength: 2, StrMaxQueryLength: 10}
	}
	if kind == "suffix" || kind == "both" {
		o.Suffix = &options.Suffix{StrMinQueryLength: 2, StrMaxQueryLength: 10}
	}
	if kind == "substring" {
		o.Substring = &options.Substring{StrMinQueryLength: 2, StrMaxQueryLength: 6, StrMaxLength: 10}
	}
	e := &options.Encrypt{Algorithm: options.AlgorithmString, ContentionFactor: new(int64(0)), StringOptions: o}
	if query != "" {
		e.QueryType = &query
	}
	return e
}

// textFilter searches for a text.
func textFilter(kind string, sealed bson.Binary) bson.D {
	names := map[string]string{"prefix": "$encStrStartsWith", "suffix": "$encStrEndsWith", "substring": "$encStrContains"}
	return bson.Doc("$expr", bson.Doc(names[kind], bson.Doc("input", "$encryptedText", kind, sealed)))
}

// Prose test 27, cases 1 to 6.
func TestExplicitTextQueries(t *testing.T) {
	for _, version := range []string{"8.2", "9.0"} {
		for _, c := range []struct{ kind, preview, final, hit, miss string }{
			{"prefix", options.QueryTypePrefixPreview, options.QueryTypePrefix, "foo", "baz"},
			{"suffix", options.QueryTypeSuffixPreview, options.QueryTypeSuffix, "baz", "foo"},
			{"substring", options.QueryTypeSubstringPreview, options.QueryTypeSubstring, "bar", "qux"},
		} {
			t.Run(c.kind+" "+version, func(t *testing.T) {
				s, coll, _ := textScene(t, version, c.kind == "substring", false)
				kind := c.kind
				if kind != "substring" {
					kind = "both"
				}
				store(t, coll, bson.Doc("_id", int32(0), "encryptedText", s.encrypt(t, "foobarbaz", textOptions(kind, "", false))))
				queryType := c.final
				if version == "8.2" {
					queryType = c.preview
				}
				query := textOptions(c.kind, queryType, false)
				want := bson.Doc("_id", int32(0), "encryptedText", "foobarbaz")
				wantDocuments(t, coll, textFilter(c.kind, s.encrypt(t, c.hit, query)), want)
				wantDocuments(t, coll, textFilter(c.kind, s.encrypt(t, c.miss, query)))
			})
		}
	}
}

// Prose test 27, case 7.
func TestExplicitTextNeedsAContentionFactor(t *testing.T) {
	s := newEncryptionScene(t)
	how := textOptions("prefix", options.QueryTypePrefix, false)
	how.KeyID, how.ContentionFactor = &s.keys[0], nil
	_, err := s.explicit.Encrypt(t.Context(), "foo", how)
	if err == nil || !strings.Contains(err.Error(), "contention factor is required for string algorithm") {
		t.Errorf("the error is %v", err)
	}
}

// Prose test 27, cases 8 to 11.
func TestExplicitTextFoldsLikeTheIndex(t *testing.T) {
	for _, c := range []struct {
		name, text string
		find       [][2]string
	}{
		{"case, prefix and suffix", "BingQiLin", [][2]string{{"prefix", "bing"}, {"suffix", "lin"}}},
		{"diacritics, prefix and suffix", "cafébarbäz", [][2]string{{"prefix", "cafe"}, {"suffix", "baz"}}},
		{"case, substring", "FooBarBaz", [][2]string{{"substring", "bar"}}},
		{"diacritics, substring", "foocafébaz", [][2]string{{"substring", "cafe"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, coll, auto := textScene(t, "9.0", c.find[0][0] == "substring", true)
			store(t, auto, bson.Doc("_id", int32(0), "encryptedText", c.text))
			for _, f := range c.find {
				sealed := s.encrypt(t, f[1], textOptions(f[0], f[0], true))
				wantDocuments(t, coll, textFilter(f[0], sealed), bson.Doc("_id", int32(0), "encryptedText", c.text))
			}
		})
	}
}
