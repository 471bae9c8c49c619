package hashed_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/hashed"
)

func TestSum(t *testing.T) {
	for name, c := range map[string]struct {
		value any
		want  int64
	}{
		"a string":                        {"hashThisStringLiteral", -5776344739422278694},
		"a number":                        {int32(1), 5902408780260971510},
		"the same number of another type": {int64(1), 5902408780260971510},
		"a number with a fraction":        {1.9, 5902408780260971510},
		"a short string":                  {"abc", 8478485326885698097},
		"null":                            {nil, 2338878944348059895},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := bson.Marshal(bson.Doc("v", c.value))
			if err != nil {
				t.Fatal(err)
			}
			if got := hashed.Sum(bson.Raw(d).Lookup("v")); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
