package emit

import "github.com/dave/jennifer/jen"

// cite adds a row's place in the specifications to a comment. It adds nothing when the row names no place.
func cite(f *jen.File, spec string) {
	if spec == "" {
		return
	}
	f.Comment("//")
	doc(f, "Specification: "+spec+".")
}
