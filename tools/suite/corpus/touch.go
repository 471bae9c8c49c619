package corpus

import (
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/suite"
)

// touch notes the types in a document, however deep.
func touch(doc bson.Raw) {
	for _, v := range doc.All() {
		suite.Touch("bson-types", v.Type.String())
		if subtype, _, ok := v.BinaryOK(); ok {
			suite.Touch("bson-types", fmt.Sprintf("subtype %d", subtype))
		}
		if inner, ok := v.DocumentOK(); ok {
			touch(inner)
		}
		if inner, ok := v.ArrayOK(); ok {
			touch(bson.Raw(inner))
		}
	}
}
