package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// Layouts prints where the fields of messages and values are.
//
//	const (
//		// HeaderRequestIDAt is where requestID begins.
//		HeaderRequestIDAt = 4
//	)
func Layouts(m *model.Layouts) []File {
	dir := "generated/" + m.Package
	f := newFile(dir, m.File)
	addDoc(f, m.Doc)
	var members []member
	for _, c := range m.Constants {
		members = append(members, member{Name: c.Name, Doc: c.Doc, Value: jen.Lit(c.Value)})
	}
	printConstants(f, "", members)
	return []File{{Path: dir + "/layout.go", Table: m.File, Content: f}}
}
