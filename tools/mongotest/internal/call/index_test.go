package call

import (
	"strconv"
	"testing"

	"github.com/specdrivers/onion/bson"
)

func TestFieldReadsTheBody(t *testing.T) {
	many, start := bson.AppendDocumentStart(nil)
	for i := range 2 * indexedMax {
		many = bson.AppendInt32Element(many, strconv.Itoa(i), int32(i))
	}
	many = bson.AppendDocumentEnd(many, start)
	few, err := bson.Marshal(bson.Doc("1", "one", "0", 0, "1", "another"))
	if err != nil {
		t.Fatal(err)
	}
	c := &Call{index: &Index{}}
	for _, body := range []bson.Raw{few, many, nil, few, bson.Raw(few[:len(few)-1]), {5, 0, 0, 0, 0}, many} {
		c.Body = body
		for _, name := range []string{"0", "1", "100", "x", ""} {
			if got, want := c.Field(name), body.Lookup(name); !got.Equal(want) {
				t.Errorf("the field %q of %v is %v, not %v", name, body, got, want)
			}
		}
	}
}
