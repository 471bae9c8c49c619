package suite

import (
	"path"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/suite/source"
)

// format is one of the formats in which the specifications write tests.
type format struct {
	name string
	// matches reports whether a file is of this format; the first match wins.
	matches func(f *File) bool
	// list is the key of the list whose entries are the cases; empty when the file is the case.
	list []string
	// compile emits a case. It is nil when the compiler cannot compile the format yet, or when open returns it.
	compile compileFunc
	// open reads a file whose cases share declarations. It returns the declarations and the function that emits a case.
	open func(c *compiler) (top []jen.Code, compile compileFunc)
}

// compileFunc emits the body of a case's test.
type compileFunc = func(c *compiler, n *source.Node) []jen.Code

// formats are in the order in which detect tries them.
func formats() []format {
	return []format{
		{name: "unified-invalid", matches: isInvalidUnified, compile: unifiedInvalid},
		{name: "unified", matches: hasKeys("schemaVersion"), list: []string{"tests"}, open: openUnified},
		{name: "bson-corpus", matches: hasKeys("bson_type"), list: []string{"valid", "decodeErrors", "parseErrors"}, compile: corpusCase},
		{name: "bson-vector", matches: hasKeys("test_key", "tests"), list: []string{"tests"}, compile: vectorCase},
		{name: "cmap", matches: hasKeys("style", "operations"), compile: cmapCase},
		{name: "sdam", matches: hasKeys("phases"), compile: sdamCase},
		{name: "rtt", matches: hasKeys("new_rtt_ms"), compile: rttCase},
		{name: "in-window", matches: hasKeys("mocked_topology_state"), compile: windowCase},
		{name: "server-selection", matches: hasKeys("topology_description", "operation"), compile: selectionCase},
		{name: "max-staleness", matches: hasKeys("topology_description"), compile: stalenessCase},
		{name: "dns-seedlist", matches: isSeedlist, compile: seedlistCase},
		{name: "cse-legacy", matches: hasKeys("tests", "runOn"), list: []string{"tests"}, open: openLegacy},
		{name: "auth", matches: testsHave("auth", "credential"), list: []string{"tests"}, compile: authCase},
		{name: "concern-document", matches: testsHave("", "readConcernDocument", "writeConcernDocument"),
			list: []string{"tests"}, compile: concernDocumentCase},
		{name: "concern-uri", matches: testsHave("read-write-concern", "readConcern", "writeConcern"),
			list: []string{"tests"}, compile: concernURICase},
		{name: "connection-string", matches: testsHave("", "uri"), list: []string{"tests"}, compile: connectionStringCase},
	}
}

func formatOf(name string) *format {
	for _, f := range formats() {
		if f.name == name {
			return &f
		}
	}
	return nil
}

// detect names the format of a file, or nothing.
func detect(f *File) string {
	for _, format := range formats() {
		if format.matches(f) {
			return format.name
		}
	}
	return ""
}

func hasKeys(keys ...string) func(*File) bool {
	return func(f *File) bool {
		for _, key := range keys {
			if !f.Root.Has(key) {
				return false
			}
		}
		return true
	}
}

// testsHave matches a file with a list of tests, by a key that one of the tests has or by the file's suite.
func testsHave(suite string, keys ...string) func(*File) bool {
	return func(f *File) bool {
		tests := f.Root.Get("tests")
		if tests == nil || tests.Kind != source.Array {
			return false
		}
		if suite != "" && f.Suite == suite {
			return true
		}
		for _, t := range tests.Items {
			for _, key := range keys {
				if t.Has(key) {
					return true
				}
			}
		}
		return false
	}
}

// isInvalidUnified matches the files whose folder says that the unified format rejects them.
func isInvalidUnified(f *File) bool {
	return f.Suite == "unified-test-format" && path.Base(f.Folder) == "invalid"
}

func isSeedlist(f *File) bool {
	uri := f.Root.Get("uri")
	return uri != nil && !f.Root.Has("tests") && strings.HasPrefix(uri.Text, "mongodb+srv:")
}
