package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// commandCollation prints
//
//	func appendCollation(dst []byte, key string, o *options.Collation) []byte {
//		dst, start := bson.AppendDocumentElementStart(dst, key)
//		dst = bson.AppendStringElement(dst, "locale", o.Locale)
//		...
//		return bson.AppendDocumentEnd(dst, start)
//	}
func commandCollation(m *model.Commands) *jen.File {
	f := newFile(commandDir, "options/types/collation.yaml")
	e := encoder{command: "collation"}
	e.printLine("dst, start := bson.AppendDocumentElementStart(dst, key)")
	for _, field := range m.Collation {
		e.printField("o.", field)
	}
	addSource(f, "func appendCollation(dst []byte, key string, o *options.Collation) []byte {\n"+e.body()+
		"return bson.AppendDocumentEnd(dst, start)\n}")
	return f
}
