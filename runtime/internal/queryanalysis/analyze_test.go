package queryanalysis

import (
	"errors"
	"strings"
	"testing"

	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
)

// Schemas of the tables. det, same and other are encrypted deterministically, rand at random, point by a key that the
// document names.
const (
	deterministic = `'algorithm':'AEAD_AES_256_CBC_HMAC_SHA_512-Deterministic'`
	random        = `'algorithm':'AEAD_AES_256_CBC_HMAC_SHA_512-Random'`

	csfle = `{'bsonType':'object','properties':{
		'det':{'encrypt':{'keyId':[KEY],'bsonType':'string',` + deterministic + `}},
		'same':{'encrypt':{'keyId':[KEY],'bsonType':'string',` + deterministic + `}},
		'other':{'encrypt':{'keyId':[KEY],'bsonType':'int',` + deterministic + `}},
		'rand':{'encrypt':{'keyId':[KEY],'bsonType':'string',` + random + `}},
		'free':{'encrypt':{'keyId':[KEY],` + random + `}},
		'point':{'encrypt':{'keyId':'/name','bsonType':'string',` + random + `}},
		'doc':{'bsonType':'object','properties':{
			'det':{'encrypt':{'keyId':[KEY],'bsonType':'string',` + deterministic + `}},
			'rand':{'encrypt':{'keyId':[KEY],'bsonType':'string',` + random + `}}}}}}`

	queryable = `{'fields':[
		{'path':'eq','keyId':KEY,'bsonType':'string','queries':{'queryType':'equality','contention':4}},
		{'path':'int','keyId':KEY,'bsonType':'int','queries':{'queryType':'range','min':0,'max':200,'sparsity':1,'trimFactor':1,'contention':0}},
		{'path':'dbl','keyId':KEY,'bsonType':'double','queries':{'queryType':'range','contention':0}},
		{'path':'text','keyId':KEY,'bsonType':'string','queries':[
			{'queryType':'prefix','strMinQueryLength':2,'strMaxQueryLength':9,'caseSensitive':false,'diacriticSensitive':true},
			{'queryType':'suffix','strMinQueryLength':2,'strMaxQueryLength':9,'caseSensitive':false,'diacriticSensitive':true}]},
		{'path':'none','keyId':KEY,'bsonType':'string'},
		{'path':'bare','keyId':KEY},
		{'path':'doc.eq','keyId':KEY,'bsonType':'string','queries':[{'queryType':'equality'}]}]}`
)

// schemas compiles the schemas of the collections c (field level encryption), q (Queryable Encryption) and p (plain).
func schemas(t testing.TB) Schemas {
	t.Helper()
	c, err := FromJSONSchema(parse(t, csfle), false)
	if err != nil {
		t.Fatal(err)
	}
	q, err := FromEncryptedFields(parse(t, queryable))
	if err != nil {
		t.Fatal(err)
	}
	return Schemas{"c": c, "q": q, "p": nil}
}

// row is one command with the analyzed command, or the reason for its refusal. An empty want means that the command
// stays unchanged.
type row struct{ name, command, want, refused string }

func run(t *testing.T, rows []row) {
	t.Helper()
	all := schemas(t)
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			cmd := parse(t, r.command)
			before := cmd.String()
			target, err := Inspect("db", cmd)
			var result Result
			if err == nil {
				result, err = Analyze(target, cmd, all)
			}
			if r.refused != "" {
				var refused *refusal.Error
				if err == nil || !strings.Contains(err.Error(), r.refused) || !errors.As(err, &refused) {
					t.Fatalf("got %s, error %v; want an error with %q", show(t, result.Command), err, r.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := r.want
			if want == "" {
				want = r.command
			}
			if got, want := show(t, result.Command), show(t, parse(t, want)); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if marked := strings.Contains(want, "("); marked != result.Marked {
				t.Errorf("Marked is %v", result.Marked)
			}
			if cmd.String() != before {
				t.Error("the command was changed")
			}
		})
	}
}
