package emit

import (
	"path"
	"strings"

	"github.com/specdrivers/onion/gen/model"
)

// Packages prints doc.go of each generated package.
func Packages(packages []model.Package) []File {
	const table = "packages.yaml"
	var out []File
	for _, p := range packages {
		dir := "generated/" + p.Path
		f := newFile(dir, table)
		audience := ""
		if strings.HasPrefix(p.Path, "core/") {
			audience = "is plumbing of the driver, not for users: it "
		}
		for _, line := range wrap("Package " + path.Base(p.Path) + " " + audience + p.Doc) {
			f.PackageComment("// " + line)
		}
		out = append(out, File{Path: dir + "/doc.go", Table: table, Content: f})
	}
	return out
}
