package load

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Documents is specs/documents.yaml: short names of the documents that rows refer to.
type Documents struct {
	Header
	Rows []Document `yaml:"rows"`
}

// Document is one name. Path is empty for a document outside the specifications repository.
type Document struct {
	Row
	Name string `yaml:"name"`
	Path string `yaml:"path,optional"`
}

// Documents reads the table of short names.
func (t *Tables) Documents() *Documents { return Read[Documents](t, "documents.yaml") }

// Reference is one document that a column spec names, and the sections that the column cites.
type Reference struct {
	At       Pos
	Document string // a path, or a name from documents.yaml
	Sections []string
}

// References reads every column spec below the specs directory. The column names a document and, in quotation marks,
// its sections. Semicolons separate documents.
func (t *Tables) References() []Reference {
	var out []Reference
	_ = fs.WalkDir(t.fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
		case d.IsDir() && name == "cases":
			return fs.SkipDir
		case !d.IsDir() && path.Ext(name) == ".yaml":
			if root := t.parse(name); root != nil {
				out = ReferencesIn(out, "specs/"+name, root)
			}
		}
		return nil
	})
	return out
}

// ReferencesIn appends the references of one table, below the node n.
func ReferencesIn(out []Reference, file string, n *yaml.Node) []Reference {
	for i, member := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			continue // a key
		}
		if n.Kind == yaml.MappingNode && n.Content[i-1].Value == "spec" && member.Kind == yaml.ScalarNode {
			for part := range strings.SplitSeq(member.Value, "; ") {
				r := ParseReference(part)
				r.At = Pos{File: file, Line: member.Line}
				out = append(out, r)
			}
		}
		out = ReferencesIn(out, file, member)
	}
	return out
}

// ParseReference splits SDAM, "error", "remove" into the document and its sections.
func ParseReference(text string) Reference {
	document, sections, found := strings.Cut(text, `, "`)
	if !found {
		return Reference{Document: text}
	}
	return Reference{Document: document, Sections: strings.Split(strings.TrimSuffix(sections, `"`), `", "`)}
}

// PinnedDocuments lists the documents and files of data in the file UPSTREAM.
func (t *Tables) PinnedDocuments() []string {
	data, err := fs.ReadFile(t.fsys, "UPSTREAM")
	if err != nil {
		t.record(Pos{File: "specs/UPSTREAM"}, "%v", err)
		return nil
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		if document, pinned := strings.CutPrefix(strings.TrimSpace(line), "document "); pinned {
			out = append(out, document)
		} else if file, pinned := strings.CutPrefix(line, "file "); pinned {
			file, _, _ = strings.Cut(file, " ")
			out = append(out, file)
		}
	}
	slices.Sort(out)
	return out
}
