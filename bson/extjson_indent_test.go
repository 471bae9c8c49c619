package bson

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestIndentExtJSON(t *testing.T) {
	tests := []struct{ name, in string }{
		{"nested", `{"a":{"$numberInt":"1"},"b":[1.50,{"c":[ ]},true],"d":{},"e":"\u0041 : ,{"}`},
		{"white space", " [ 1 ,\n2 ] "},
		{"scalar", `"x"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var want bytes.Buffer
			if err := json.Indent(&want, bytes.TrimSpace([]byte(tt.in)), "> ", "  "); err != nil {
				t.Fatal(err)
			}
			got, err := IndentExtJSON([]byte("# "), []byte(tt.in), "> ", "  ")
			if err != nil || string(got) != "# "+want.String() {
				t.Errorf("got %s, %v, want %s", got, err, &want)
			}
		})
	}
	for _, in := range []string{``, `{`, `{"a"}`, `[1,]`, `{"a":1}}`, `[nul]`} {
		if got, err := IndentExtJSON([]byte("# "), []byte(in), "", " "); err == nil || string(got) != "# " {
			t.Errorf("%s is indented as %s, %v", in, got, err)
		}
	}
}
