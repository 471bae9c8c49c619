package interop

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// adminCase is a command about the server, a database, a collection or users. Both servers must answer with the same code, every field
// of FerretDB's reply must be in mongotest's with the same type, and the fields that same lists must have the same value.
type adminCase struct {
	name, db, command string
	same              []string // fields whose values are compared
	// ferret is FerretDB's code where it differs from mongotest's. lacks are fields of FerretDB's reply that mongotest's reply does not
	// have, or has with another type. why is what the manual says about these differences.
	ferret int
	lacks  []string
	why    string
}

// acceptedByFerret is the value of ferret where only mongotest reports an error. A ferret of 0 means that the codes agree.
const acceptedByFerret = -2

func extJSON(t *testing.T, text string) bson.D {
	t.Helper()
	var doc bson.D
	if err := bson.UnmarshalExtJSON([]byte(strings.ReplaceAll(text, "'", `"`)), false, &doc); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return doc
}

// kindsOf returns the kind of every field of a reply by its path. Numbers are one kind, because FerretDB's documentation says
// that it does not tell their types apart here. The elements of an array share a path.
func kindsOf(doc bson.Raw, prefix string, out map[string]string) map[string]string {
	add := func(path string, v bson.RawValue) {
		kind := typeNames[byte(v.Type)]
		if slices.Contains([]string{"int", "long", "double"}, kind) {
			kind = "number"
		}
		out[path] = kind
		if sub, ok := v.DocumentOK(); ok {
			kindsOf(sub, path+".", out)
		}
	}
	for key, v := range doc.All() {
		add(prefix+key, v)
		for _, element := range values(v) {
			add(prefix+key+".[]", element)
		}
	}
	return out
}

// isIgnored reports whether a field belongs to any reply, or to the time at which it was sent.
func isIgnored(path string) bool {
	first, _, _ := strings.Cut(path, ".")
	return slices.Contains([]string{"$clusterTime", "operationTime", "lsid"}, first)
}

// compareAdmin runs a case on both servers.
func compareAdmin(t *testing.T, tc adminCase, theirs, ours *mongo.Client) {
	t.Helper()
	command := extJSON(t, tc.command)
	ferret, ferretCode := runRaw(t, theirs.Database(tc.db), command)
	mine, code := runRaw(t, ours.Database(tc.db), command)
	if tc.ferret != 0 {
		theirs := tc.ferret
		if theirs == acceptedByFerret {
			theirs = 0
		}
		if ferretCode != theirs || code == theirs || tc.why == "" {
			t.Errorf("FerretDB's code %d, mongotest's %d: the row is out of date", ferretCode, code)
		}
		return
	}
	if ferretCode != code {
		t.Fatalf("FerretDB's code %d, mongotest's %d", ferretCode, code)
	}
	if code != 0 {
		return
	}
	kinds := kindsOf(mine, "", map[string]string{})
	var lacks []string
	for path, kind := range kindsOf(ferret, "", map[string]string{}) {
		if kinds[path] != kind && !isIgnored(path) {
			lacks = append(lacks, path)
		}
	}
	slices.Sort(lacks)
	if !slices.Equal(lacks, tc.lacks) || len(lacks) > 0 && tc.why == "" {
		t.Errorf("mongotest's reply lacks %q, the row says %q\n FerretDB %v\nmongotest %v", lacks, tc.lacks, ferret, mine)
	}
	for _, path := range tc.same {
		at := strings.Split(path, ".")
		if a, b := comparableText(ferret.Lookup(at...)), comparableText(mine.Lookup(at...)); a != b || a == "" {
			t.Errorf("%s: FerretDB %s, mongotest %s", path, a, b)
		}
	}
}

// comparableText returns a value as text: only the keys of a document, and an empty text for a missing value.
func comparableText(v bson.RawValue) string {
	if v.IsZero() {
		return ""
	}
	if doc, ok := v.DocumentOK(); ok {
		return fmt.Sprint(slices.Sorted(maps.Keys(maps.Collect(doc.All()))))
	}
	if n, ok := v.AsInt64OK(); ok {
		return fmt.Sprint(n)
	}
	if list := values(v); list != nil {
		var out []string
		for _, element := range list {
			out = append(out, comparableText(element))
		}
		return fmt.Sprint(out)
	}
	return text(v)
}

// Commands about the server, databases, collections and users get replies of the same form from both.
func TestAdminCommandsAgreeWithFerretDB(t *testing.T) {
	theirs, ours := newDatabase(t, startEmbeddedFerret(t)).Client(), newDatabase(t, mongotest.Start(t, mongotest.Standalone()).URI()).Client()
	for _, client := range []*mongo.Client{theirs, ours} {
		for _, prepare := range []string{
			`{'insert':'c','documents':[{'_id':1,'a':1},{'_id':2,'a':2},{'_id':3}]}`, `{'createIndexes':'c','indexes':[{'key':{'a':1},'name':'by_a'}]}`,
			`{'create':'ring','capped':true,'size':4096,'max':5}`, `{'create':'empty'}`,
		} {
			if _, code := runRaw(t, client.Database("admincases"), extJSON(t, prepare)); code != 0 {
				t.Fatalf("%s: code %d", prepare, code)
			}
		}
	}
	for _, tc := range adminCases {
		t.Run(tc.name, func(t *testing.T) { compareAdmin(t, tc, theirs, ours) })
	}
}
