package emit

import "github.com/dave/jennifer/jen"

// cite adds to a comment the place in the specifications that it rests on, and nothing when the row names none.
func cite(f *jen.File, spec string) {
	if spec == "" {
		return
	}
	f.Comment("//")
	doc(f, "Specification: "+spec+".")
}
