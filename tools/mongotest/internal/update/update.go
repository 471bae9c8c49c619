package update

import (
	"slices"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// Options configure the compilation of an update document.
type Options struct {
	ArrayFilters []bson.Raw
	Query        query.Options
}

// isModern reports whether the server version is 5.0 or later.
func (o *Options) isModern() bool { return o.Query.Scope.Wire() >= wire.Server50 }

// refuseDollar refuses a field name that begins with a dollar, in the words of the server version.
func (o *Options) refuseDollar(name, full string) error {
	if !o.isModern() {
		return status.Errorf(errcode.DollarPrefixedFieldName,
			"The dollar ($) prefixed field '%s' in '%s' is not valid for storage.", name, full)
	}
	return status.Errorf(errcode.DollarPrefixedFieldName,
		"The dollar ($) prefixed field '%s' in '%s' is not allowed in the context of an update's replacement document. "+
			"Consider using an aggregation pipeline with $replaceWith.", name, full)
}

// Update is a compiled update document. It may be used by several goroutines.
type Update struct {
	changes     []change
	filters     map[string]*query.Filter
	replacement bson.Raw // the new document; if nil, changes apply
	options     Options
	dynamic     bool // some path depends on the document
}

// change is one operator applied to one path.
type change struct {
	path   path.Path
	run    operator
	source path.Path // of $rename; its path is the target
}

// operator computes a field's new value.
type operator struct {
	creates bool // create the path to the field if it is missing
	insert  bool // apply only on an insert
	lenient bool // a path that cannot exist is not an error
	appends bool // the value may be an array that only grew at its end
	apply   func(a *application, old bson.RawValue) (bson.RawValue, error)
}

// build makes an operator from its operand. name is the path, for messages.
type build func(name string, operand bson.RawValue, o Options) (operator, error)

// Input is the document to change and its context.
type Input struct {
	Doc      bson.Raw
	Position int  // the array index that the query matched, or -1
	Insert   bool // an upsert is about to insert the document
	Now      time.Time
	// Timestamp is the value of $currentDate: {$type: "timestamp"}.
	Timestamp bson.Timestamp
	// KeepTimestamps leaves the empty timestamps of a replacement as they are.
	KeepTimestamps bool
}

// application is the state of applying one update to one document.
type application struct {
	update *Update
	in     Input
	root   *level
	field  string // the current path, for messages
}

// arrange sorts changes by path, which is the order in which they are applied.
func (u *Update) arrange(changes []change) {
	numeric := u.options.isModern()
	slices.SortStableFunc(changes, func(a, b change) int { return comparePaths(a.path, b.path, numeric) })
}

// comparePaths compares paths by component. Since 5.0 it compares positions as numbers.
func comparePaths(a, b path.Path, numeric bool) int {
	for i := range min(len(a), len(b)) {
		m, n := path.Index(a[i]), path.Index(b[i])
		if numeric && m >= 0 && n >= 0 {
			if m != n {
				return m - n
			}
			continue
		}
		if d := strings.Compare(a[i], b[i]); d != 0 {
			return d
		}
	}
	return len(a) - len(b)
}

var missing bson.RawValue

// id returns the document's _id for messages.
func (a *application) id() string { return "{" + a.idText() + "}" }

func (a *application) idText() string {
	id := path.Field(a.in.Doc, "_id")
	if id.IsZero() {
		return "no id"
	}
	return "_id: " + status.TextOf(id)
}

func lastName(name string) string {
	p := path.Parse(name)
	return p[len(p)-1]
}
