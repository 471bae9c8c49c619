package diff_test

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/diff"
)

func parse(t *testing.T, s string) bson.Raw {
	t.Helper()
	var d bson.D
	if err := bson.UnmarshalExtJSON([]byte(strings.ReplaceAll(s, "'", `"`)), false, &d); err != nil {
		t.Fatal(err)
	}
	out, err := bson.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestBetween(t *testing.T) {
	const long = `'a text that is longer than the description of a change, so that it pays to describe the change'`
	tests := []struct{ name, before, after, want string }{
		{"values", `{'_id':1,'t':` + long + `,'a':1,'b':2}`, `{'_id':1,'t':` + long + `,'a':5,'c':3}`, `{'d':{'b':false},'u':{'a':5},'i':{'c':3}}`},
		{"another place", `{'t':` + long + `,'a':1,'b':2}`, `{'t':` + long + `,'b':2,'a':1}`, `{'i':{'a':1}}`},
		{"inside", `{'s':{'t':` + long + `,'x':1}}`, `{'s':{'t':` + long + `,'x':2}}`, `{'ss':{'u':{'x':2}}}`},
		{"grown array", `{'s':[` + long + `,1]}`, `{'s':[` + long + `,2,3]}`, `{'ss':{'a':true,'u1':2,'u2':3}}`},
		{"shorter array", `{'s':[` + long + `,{'x':1},3]}`, `{'s':[` + long + `,{'x':2}]}`, `{'ss':{'a':true,'l':2,'u1':{'x':2}}}`},
		{"no smaller than the document", `{'a':1,'b':2,'c':3}`, `{'x':1}`, ``},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := diff.Between(parse(t, test.before), parse(t, test.after))
			if test.want == "" && got == nil {
				return
			}
			if want := parse(t, test.want); string(got) != string(want) {
				t.Errorf("got %s, want %s", got, want)
			}
			if after, ok := diff.Apply(parse(t, test.before), got); !ok || string(after) != string(parse(t, test.after)) {
				t.Errorf("%s leads to %s", got, after)
			}
		})
	}
}

func TestApply(t *testing.T) {
	for _, test := range []struct{ name, before, diff, want string }{
		{"nothing", `{'a':1}`, `{}`, `{'a':1}`},
		{"a field that is not there", `{'a':1}`, `{'u':{'b':2},'d':{'c':false}}`, `{'a':1,'b':2}`},
		{"a field moved to the end", `{'a':1,'b':2}`, `{'i':{'a':3}}`, `{'b':2,'a':3}`},
		{"an array that grows over a gap", `{'a':[1]}`, `{'sa':{'a':true,'u3':4}}`, `{'a':[1,null,null,4]}`},
		{"a longer length", `{'a':[1]}`, `{'sa':{'a':true,'l':2}}`, `{'a':[1,null]}`},
		{"inside an array", `{'a':[1,{'x':[1,2]}]}`, `{'sa':{'a':true,'s1':{'sx':{'a':true,'l':1}}}}`, `{'a':[1,{'x':[1]}]}`},
		{"a document where an array was", `{'a':{}}`, `{'sa':{'a':true,'u0':1}}`, ``},
		{"an array where a document was", `{'a':[]}`, `{'sa':{'u':{'x':1}}}`, ``},
		{"no position", `{'a':[]}`, `{'sa':{'a':true,'ux':1}}`, ``},
		{"a position far away", `{'a':[]}`, `{'sa':{'a':true,'u2000000000':1}}`, ``},
		{"no kind of change", `{'a':[1]}`, `{'sa':{'a':true,'x0':1}}`, ``},
		{"an empty name", `{'a':[1]}`, `{'sa':{'a':true,'':1}}`, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			after, ok := diff.Apply(parse(t, test.before), parse(t, test.diff))
			if ok != (test.want != "") || ok && string(after) != string(parse(t, test.want)) {
				t.Errorf("%s, %v", after, ok)
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	d := parse(t, `{'d':{'gone':false},'u':{'a.b':1},'i':{'n':2},'sin':{'d':{'x':false},'u':{'0':1},'slist':{'a':true,'l':2,'u1':5,'s0':{'u':{'7':1}}}}}`)
	is := diff.Describe(d)
	for _, test := range []struct{ name, got, want string }{
		{"updated", is.Updated.String(), `{"a.b":1,"n":2,"in.0":1,"in.list.1":5,"in.list.0.7":1}`},
		{"removed", is.Removed.String(), `["gone","in.x"]`},
		{"truncated", is.Truncated.String(), `[{"field":"in.list","newSize":2}]`},
		{"paths", is.Paths.String(), `{"a.b":["a.b"],"in.0":["in","0"],"in.list.0.7":["in","list",0,"7"]}`},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, test.got, test.want)
		}
	}
	if _, ok := diff.Modifiers(d); ok {
		t.Error("modifiers cannot shorten an array")
	}
	if got, ok := diff.Modifiers(parse(t, `{'d':{'a':false},'u':{'b':1}}`)); !ok || got.String() != `{"$v":1,"$unset":{"a":true},"$set":{"b":1}}` {
		t.Errorf("got %s", got)
	}
}
