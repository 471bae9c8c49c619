package suite

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/suite/source"
)

// Pin is what is remembered of a test file: fingerprints, and nothing of its text.
type Pin struct {
	Path    string // below the folder of the suites
	Version string // of its schema; empty when it has none
	Print   string // of the whole file
	Cases   []CasePin
}

// CasePin holds the fingerprints of a case's name and of what it says.
type CasePin struct{ Name, Text string }

// Pins are what is remembered of all test files, by path, with the suites that they belong to.
type Pins struct {
	Files  map[string]Pin
	suites map[string]string
}

// PinFiles returns the pins that files have now. Spaces, quotation marks and comments between values do not count.
func PinFiles(files []*File) Pins {
	out := Pins{Files: map[string]Pin{}, suites: map[string]string{}}
	for _, f := range files {
		out.suites[f.Path] = f.Suite
		out.Files[f.Path] = f.pin()
	}
	return out
}

// Suite is the suite of a file, as its path says.
func (p Pins) Suite(path string) string {
	if suite, known := p.suites[path]; known {
		return suite
	}
	return parsePath(path).Suite
}

// Paths are the files of a suite, or of all when it is empty, sorted.
func (p Pins) Paths(suite string) []string {
	var out []string
	for path := range p.Files {
		if suite == "" || p.Suite(path) == suite {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

func (f *File) pin() Pin {
	out := Pin{Path: f.Path}
	sum := sha256.New()
	if f.Root == nil {
		fmt.Fprint(sum, f.Err)
		out.Print = shortDigest(sum, 6)
		return out
	}
	write(sum, f.Root)
	out.Print = shortDigest(sum, 6)
	if v := f.Root.Get("schemaVersion"); v != nil {
		out.Version = v.Text
	}
	for _, c := range f.NamedCases() {
		out.Cases = append(out.Cases, CasePin{NamePrint(c.Name), c.print()})
	}
	return out
}

// NamedCase is a case and its name.
type NamedCase struct {
	Name string
	node *source.Node
}

// NamedCases lists the cases of a file by their names.
func (f *File) NamedCases() []NamedCase {
	var out []NamedCase
	if format := formatOf(f.Format); format != nil && f.Root != nil {
		for _, c := range f.cases(format) {
			out = append(out, NamedCase{c.name, c.node})
		}
	}
	return out
}

func (c NamedCase) print() string {
	sum := sha256.New()
	write(sum, c.node)
	return shortDigest(sum, 3)
}

// NamePrint is the fingerprint of the name of a case.
func NamePrint(name string) string {
	sum := sha256.New()
	sum.Write([]byte(name))
	return shortDigest(sum, 3)
}

func shortDigest(sum hash.Hash, bytes int) string { return hex.EncodeToString(sum.Sum(nil)[:bytes]) }

// write writes a value in one form.
func write(to hash.Hash, n *source.Node) {
	to.Write([]byte{byte(n.Kind)})
	to.Write([]byte(n.Text))
	to.Write([]byte{0})
	for _, item := range n.Items {
		write(to, item)
	}
	for _, m := range n.Members {
		to.Write([]byte(m.Key))
		to.Write([]byte{0})
		write(to, m.Value)
	}
	to.Write([]byte{1})
}

// Text is the file of the pins: a line for each suite, and below it one for each of its files.
func (p Pins) Text() string {
	var b strings.Builder
	b.WriteString("# The test files that the suites were compiled from: for each file its fingerprint, the version of its schema, and a\n" +
		"# fingerprint of the name and one of the content of each case.\n")
	var suites []string
	for path := range p.Files {
		suites = append(suites, p.Suite(path))
	}
	slices.Sort(suites)
	for _, suite := range slices.Compact(suites) {
		paths, cases := p.Paths(suite), 0
		for _, path := range paths {
			cases += len(p.Files[path].Cases)
		}
		fmt.Fprintf(&b, "suite %s %d files %d cases\n", suite, len(paths), cases)
		for _, path := range paths {
			f := p.Files[path]
			fmt.Fprintf(&b, "  %s %s %s", path, f.Print, orDash(f.Version))
			for _, c := range f.Cases {
				b.WriteString(" " + c.Name + c.Text)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// ParsePins reads what Text writes.
func ParsePins(text string) (Pins, error) {
	out := Pins{Files: map[string]Pin{}, suites: map[string]string{}}
	suite, number := "", 0
	for line := range strings.Lines(text) {
		number++
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == "suite" && len(words) > 1:
			suite = words[1]
		case line[0] == ' ' && len(words) >= 3 && suite != "":
			pin := Pin{Path: words[0], Print: words[1], Version: strings.TrimPrefix(words[2], "-")}
			for _, c := range words[3:] {
				if len(c) != 12 {
					return out, fmt.Errorf("line %d: %q is not a case", number, c)
				}
				pin.Cases = append(pin.Cases, CasePin{c[:6], c[6:]})
			}
			out.Files[pin.Path], out.suites[pin.Path] = pin, suite
		default:
			return out, fmt.Errorf("line %d: %q is neither a suite nor a file", number, strings.TrimSpace(line))
		}
	}
	return out, nil
}
