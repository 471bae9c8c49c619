package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// ExtJSON prints the words of extended JSON.
//
//	const (
//		// ObjectID is the key of an ObjectID.
//		ObjectID = "$oid"
//	)
func ExtJSON(m *model.ExtJSON) []File {
	const table, dir = "bson/extjson.yaml", "generated/core/form"
	f := newFile(dir, table)
	addDoc(f, m.Doc)
	var members []member
	for _, w := range m.Words {
		members = append(members, member{Name: w.Name, Doc: w.Doc, Value: jen.Lit(w.Value)})
	}
	printConstants(f, "", members)
	return []File{{Path: dir + "/extjson.go", Table: table, Content: f}}
}
