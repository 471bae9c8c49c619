package emit

import "github.com/dave/jennifer/jen"

// addCitation adds a row's place in the specifications to a comment. It adds nothing when the row names no place.
func addCitation(f *jen.File, spec string) {
	if spec == "" {
		return
	}
	f.Comment("//")
	addDoc(f, "Specification: "+spec+".")
}
