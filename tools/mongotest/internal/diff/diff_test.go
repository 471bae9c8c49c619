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
