package order_test

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/order"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// doc reads extended JSON with single quotes.
func doc(t testing.TB, s string) bson.Raw {
	t.Helper()
	d, err := bson.ExtJSONToRaw([]byte(strings.ReplaceAll(s, "'", `"`)), false)
	if err != nil {
		t.Fatalf("%v in %s", err, s)
	}
	return d
}

func TestSort(t *testing.T) {
	tests := []struct{ name, spec, docs, want string }{
		{"types", `{'a':1}`, `[{'_id':1,'a':'x'},{'_id':2,'a':1},{'_id':3},{'_id':4,'a':null},{'_id':5,'a':true},{'_id':6,'a':{'$minKey':1}}]`, `[6,3,4,2,1,5]`},
		{"an empty array comes before null", `{'a':1}`, `[{'_id':1,'a':null},{'_id':2,'a':[]},{'_id':3}]`, `[2,1,3]`},
		{"the least element counts", `{'a':1}`, `[{'_id':1,'a':[5,1]},{'_id':2,'a':[2,3]},{'_id':3,'a':4}]`, `[1,2,3]`},
		{"the greatest element counts", `{'a':-1}`, `[{'_id':1,'a':[5,1]},{'_id':2,'a':[2,3]},{'_id':3,'a':4}]`, `[1,3,2]`},
		{"equal keys keep their order", `{'a':1}`, `[{'_id':3,'a':1},{'_id':1,'a':1},{'_id':2,'a':0}]`, `[2,3,1]`},
		{"two fields", `{'a':1,'b':-1}`, `[{'_id':1,'a':1,'b':1},{'_id':2,'a':1,'b':2},{'_id':3,'a':0,'b':0}]`, `[3,2,1]`},
		{"documents in arrays", `{'a.b':1}`, `[{'_id':1,'a':[{'b':3},{'b':9}]},{'_id':2,'a':{'b':1}},{'_id':3,'a':[{'c':1}]}]`, `[3,2,1]`},
		{"the same array in two fields", `{'a.b':1,'a.c':1}`, `[{'_id':1,'a':[{'b':1,'c':9},{'b':2,'c':1}]},{'_id':2,'a':[{'b':1,'c':5}]}]`, `[2,1]`},
		{"a position", `{'a.1':1}`, `[{'_id':1,'a':[1,9]},{'_id':2,'a':[9,1]}]`, `[2,1]`},
		{"numbers across types, NaN first", `{'a':1}`, `[{'_id':1,'a':2},{'_id':2,'a':{'$numberDecimal':'1.5'}},{'_id':3,'a':1.0},{'_id':4,'a':{'$numberDouble':'NaN'}}]`, `[4,3,2,1]`},
		{"whole doubles and fractions as directions", `{'a':-1.9}`, `[{'_id':1,'a':1},{'_id':2,'a':2}]`, `[2,1]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o, err := order.Parse(doc(t, tt.spec), nil)
			if err != nil {
				t.Fatal(err)
			}
			var docs []bson.Raw
			list, _ := doc(t, `{'d':`+tt.docs+`}`).Lookup("d").ArrayOK()
			for _, v := range list.All() {
				d, _ := v.DocumentOK()
				docs = append(docs, d)
			}
			if err := o.Sort(docs, nil); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range docs {
				got = append(got, status.TextOf(d.Lookup("_id")))
			}
			if s := "[" + strings.Join(got, ",") + "]"; s != tt.want {
				t.Errorf("got %s, want %s", s, tt.want)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		spec string
		code int32
		text string
	}{
		{`{'a':'x'}`, 15974, `Illegal key in $sort specification: a: "x"`},
		{`{'a':null}`, 15974, `Illegal key in $sort specification: a: null`},
		{`{'a':0}`, 15975, `$sort key ordering must be 1 (for ascending) or -1 (for descending)`},
		{`{'a':2}`, 15975, `$sort key ordering must be 1 (for ascending) or -1 (for descending)`},
		{`{'':1}`, 40352, `FieldPath cannot be constructed with empty string`},
		{`{'a.':1}`, 40353, `FieldPath must not end with a '.'.`},
		{`{'a..b':1}`, 15998, `FieldPath field names may not be empty strings.`},
		{`{'$a':1}`, 16410, `FieldPath field names may not start with '$'. Consider using $getField or $setField.`},
		{`{'a':{'b':1}}`, 17312, `$meta is the only expression supported by $sort right now`},
		{`{'a':{'$meta':'textScore'}}`, 40218, `query requires text score metadata, but it is not available`},
		{`{'a':{'$meta':'foo'}}`, 31138, `Illegal $meta sort: $meta: "foo"`},
		{`{'a':{'$meta':'searchScore'}}`, 40218, `query requires searchScore metadata, but it is not available (mongotest has no Atlas Search)`},
	}
	for _, tt := range tests {
		_, err := order.Parse(doc(t, tt.spec), nil)
		if e := status.From(err); e == nil || int32(e.Code) != tt.code || e.Message != tt.text {
			t.Errorf("%s: got %v, want %d %s", tt.spec, err, tt.code, tt.text)
		}
	}
	o, err := order.Parse(doc(t, `{'a':1,'b':1}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Sort([]bson.Raw{doc(t, `{'a':[1,2],'b':[1,2]}`)}, nil); err == nil || int32(status.From(err).Code) != 2 {
		t.Errorf("parallel arrays: got %v", err)
	}
}
