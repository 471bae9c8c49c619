package encrypt

import (
	"testing"

	"github.com/specdrivers/onion/bson"
)

func TestSpellOut(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"update", `{"update": "c", "updates": [{"q": {}, "u": {}}, {"q": {}, "multi": true}], "ordered": true}`,
			`{"update": "c", "updates": [{"q": {}, "u": {}, "multi": false, "upsert": false}, {"q": {}, "multi": true, "upsert": false}], "ordered": true}`},
		{"update", `{"update": "c", "updates": [1]}`, `{"update": "c", "updates": [1]}`},
		{"explain", `{"explain": {"find": "c"}}`, `{"explain": {"find": "c"}, "verbosity": "allPlansExecution"}`},
		{"explain", `{"explain": {"find": "c"}, "verbosity": "queryPlanner"}`, `{"explain": {"find": "c"}, "verbosity": "queryPlanner"}`},
		{"find", `{"find": "c"}`, `{"find": "c"}`},
	} {
		in, err := bson.ExtJSONToRaw([]byte(c.in), false)
		want, err2 := bson.ExtJSONToRaw([]byte(c.want), false)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if got := spellOut(c.name, in); got.String() != want.String() {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
}
