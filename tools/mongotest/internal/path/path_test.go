package path_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

func document(t testing.TB, s string) bson.Raw {
	t.Helper()
	d, err := bson.ExtJSONToRaw([]byte(strings.ReplaceAll(s, "'", `"`)), false)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestKeys(t *testing.T) {
	tests := []struct {
		name, doc string
		paths     []string
		want      string
		multikey  bool
	}{
		{"scalar", `{'a':1}`, []string{"a"}, `1`, false},
		{"missing", `{}`, []string{"a"}, `EOO`, false},
		{"nested", `{'a':{'b':2}}`, []string{"a.b"}, `2`, false},
		{"through a scalar", `{'a':1}`, []string{"a.b"}, `EOO`, false},
		{"array", `{'a':[1,2]}`, []string{"a"}, `1|2`, true},
		{"empty array", `{'a':[]}`, []string{"a"}, `undefined`, true},
		{"array of documents", `{'a':[{'b':1},{'b':2},{}]}`, []string{"a.b"}, `1|2|EOO`, true},
		{"array of scalars on the way", `{'a':[5]}`, []string{"a.b"}, `EOO`, true},
		{"empty array on the way", `{'a':[]}`, []string{"a.b"}, `EOO`, true},
		{"position", `{'a':[7,8]}`, []string{"a.1"}, `8`, false},
		{"position that the array lacks is a name", `{'a':[{'5':1},{'5':2}]}`, []string{"a.5"}, `1|2`, true},
		{"position, then a field", `{'a':[[{'b':1},{'b':2}]]}`, []string{"a.0.b"}, `1|2`, true},
		{"compound", `{'a':1,'b':2}`, []string{"a", "b"}, `1,2`, false},
		{"compound with an array", `{'a':[1,2],'b':3}`, []string{"a", "b"}, `1,3|2,3`, true},
		{"two fields of one array", `{'a':[{'b':1,'c':2},{'b':3,'c':4}]}`, []string{"a.b", "a.c"}, `1,2|3,4`, true},
		{"array in an array of documents", `{'a':[{'b':[1,2]},{'b':3}]}`, []string{"a.b"}, `1|2|3`, true},
		{"array of arrays", `{'a':[[1,2],3]}`, []string{"a"}, `[ 1, 2 ]|3`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var paths []path.Path
			for _, p := range tt.paths {
				paths = append(paths, path.Parse(p))
			}
			var got []string
			multikey, err := path.Keys(document(t, tt.doc), paths, func(values []bson.RawValue) {
				var parts []string
				for _, v := range values {
					parts = append(parts, status.TextOf(v))
				}
				got = append(got, strings.Join(parts, ","))
			})
			if err != nil {
				t.Fatal(err)
			}
			if s := strings.Join(got, "|"); s != tt.want || multikey != tt.multikey {
				t.Errorf("got %s, multikey %v, want %s, %v", s, multikey, tt.want, tt.multikey)
			}
		})
	}
	_, err := path.Keys(document(t, `{'a':[1],'b':[2]}`), []path.Path{{"a"}, {"b"}}, func([]bson.RawValue) {})
	if !errors.Is(err, path.ErrParallelArrays) {
		t.Errorf("two arrays: %v", err)
	}
	_, err = path.Keys(document(t, `{'a':[5,{'0':1}]}`), []path.Path{{"a", "0"}}, func([]bson.RawValue) {})
	if e := status.From(err); e == nil || e.Code != 16746 {
		t.Errorf("a position that is a name: %v", err)
	}
}

func TestEachVisitsEveryCandidate(t *testing.T) {
	tests := []struct{ doc, path, expand, whole string }{
		{`{'a':[1,[2]]}`, "a", `1|[ 2 ]|[ 1, [ 2 ] ]`, `[ 1, [ 2 ] ]`},
		{`{'a':[{'b':1},{'b':[2,3]}]}`, "a.b", `1|2|3|[ 2, 3 ]`, `1|[ 2, 3 ]`},
		{`{'a':[[1,2]]}`, "a.0", `[ 1, 2 ]`, `[ 1, 2 ]`},
		{`{'a':5}`, "a.b", `EOO`, `EOO`},
		{`{'a':[]}`, "a.b", ``, ``},
	}
	for _, tt := range tests {
		for leaf, want := range map[path.Leaf]string{path.Expand: tt.expand, path.Whole: tt.whole} {
			var got []string
			path.Parse(tt.path).Each(document(t, tt.doc), leaf, func(v bson.RawValue, _ int) bool {
				got = append(got, status.TextOf(v))
				return true
			})
			if s := strings.Join(got, "|"); s != want {
				t.Errorf("%s of %s: got %s, want %s", tt.path, tt.doc, s, want)
			}
		}
	}
}
