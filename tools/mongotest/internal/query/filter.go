package query

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/fulltext"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
)

// Options configure the compilation of a query document.
type Options struct {
	Collation *collate.Collator
	Scope     *expr.Scope // the variables for $expr and the server version; nil is no variables and the newest version
	// Plain marks the places where the server accepts no $expr, $jsonSchema, $where, $text or $near: array filters,
	// $pull, the $elemMatch projection and partial indexes.
	Plain bool
	// NoNear marks the stage $match, where the server accepts no $near.
	NoNear bool
	// Text finds the text index that $text searches; nil where the server accepts no $text.
	Text func() (*fulltext.Index, error)
}

// Filter is a compiled query. It may be used by several goroutines.
type Filter struct {
	root      node
	collation *collate.Collator
	raw       bson.Raw
	check     *interrupt.Check
	text      *fulltext.Search
	wire      int32
}

// Collation returns the order of strings that the query uses.
func (f *Filter) Collation() *collate.Collator { return f.collation }

// Wire returns the wire version of the server whose query language this is.
func (f *Filter) Wire() int32 { return f.wire }

// Check returns the interrupt of the query's scope.
func (f *Filter) Check() *interrupt.Check { return f.check }

// Text returns the $text of the query, or nil.
func (f *Filter) Text() *fulltext.Search { return f.text }

// Raw returns the query document.
func (f *Filter) Raw() bson.Raw { return f.raw }

// Match tests a document. An error comes from an expression in $expr.
func (f *Filter) Match(doc bson.Raw) (bool, error) {
	m := Match{Position: -1}
	return f.Test(&m, doc)
}

// Test tests a document and records the array position.
func (f *Filter) Test(m *Match, doc bson.Raw) (bool, error) {
	m.Position, m.err = -1, nil
	ok := f.root.match(m, doc)
	if m.err != nil {
		return false, m.err
	}
	return ok, nil
}
