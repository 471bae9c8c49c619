package update

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
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

// modern reports whether the server version is 5.0 or later.
func (o *Options) modern() bool { return o.Query.Scope.Wire() >= wire.Server50 }

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

// IsReplacement reports whether an update document has no operators.
func IsReplacement(d bson.Raw) bool {
	first, ok := d.Index(0)
	return !ok || !strings.HasPrefix(first.Key, "$")
}

// Compile checks and compiles an update document.
func Compile(d bson.Raw, o Options) (*Update, error) {
	u := &Update{options: o}
	if IsReplacement(d) {
		u.replacement = d
		return u, u.checkReplacement()
	}
	if err := u.filtersOf(o); err != nil {
		return nil, err
	}
	p := &parser{update: u, used: map[string]bool{}, root: &place{}}
	for op, v := range d.All() {
		if err := p.operator(op, v); err != nil {
			return nil, err
		}
	}
	if err := u.checkUsed(p.used, d); err != nil {
		return nil, err
	}
	u.arrange(u.changes)
	return u, nil
}

func (u *Update) checkReplacement() error {
	if len(u.options.ArrayFilters) > 0 {
		return status.Errorf(errcode.FailedToParse, "arrayFilters may not be specified for replacement-syle updates")
	}
	for key := range u.replacement.All() {
		if strings.HasPrefix(key, "$") {
			return u.options.dollar(key, key)
		}
	}
	return nil
}

// dollar refuses a field name that begins with a dollar, in the words of the server version.
func (o *Options) dollar(name, full string) error {
	if !o.modern() {
		return status.Errorf(errcode.DollarPrefixedFieldName,
			"The dollar ($) prefixed field '%s' in '%s' is not valid for storage.", name, full)
	}
	return status.Errorf(errcode.DollarPrefixedFieldName,
		"The dollar ($) prefixed field '%s' in '%s' is not allowed in the context of an update's replacement document. "+
			"Consider using an aggregation pipeline with $replaceWith.", name, full)
}

// arrange sorts changes by path, which is the order in which they are applied.
func (u *Update) arrange(changes []change) {
	numeric := u.options.modern()
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

// parser reads the operators of an update document in order.
type parser struct {
	update *Update
	used   map[string]bool // the identifiers of array filters that occur in paths
	root   *place
}

func (p *parser) operator(op string, v bson.RawValue) error {
	build, known := operators[op]
	switch {
	case !known:
		return status.Errorf(errcode.FailedToParse,
			"Unknown modifier: %s. Expected a valid update modifier or pipeline-style update specified as an array", op)
	case v.Type != bsontype.EmbeddedDocument:
		return status.Errorf(errcode.FailedToParse,
			"Modifiers operate on fields but we found type %s instead. For example: {$mod: {<field>: ...}} "+
				"not {%s: %s}", v.Type, op, status.TextOf(v))
	case bson.Raw(v.Value).Len() == 0 && !p.update.options.modern():
		return status.Errorf(errcode.FailedToParse, "'%s' is empty. You must specify a field like so: {%s: {<field>: ...}}", op, op)
	}
	for name, operand := range bson.Raw(v.Value).All() {
		c, err := p.change(op, build, name, operand)
		if err != nil {
			return err
		}
		p.update.changes = append(p.update.changes, c)
	}
	return nil
}

func (p *parser) change(op string, build build, name string, operand bson.RawValue) (change, error) {
	at, err := p.path(name)
	if err != nil {
		return change{}, err
	}
	if op == "$rename" {
		return p.rename(name, at, operand)
	}
	run, err := build(name, operand, p.update.options)
	if err != nil {
		return change{}, err
	}
	return change{path: at, run: run}, p.claim(at)
}

// path reads a path and refuses paths that no update may name.
func (p *parser) path(name string) (path.Path, error) {
	if name == "" {
		return nil, status.Errorf(errcode.EmptyFieldName, "An empty update path is not valid.")
	}
	at := path.Parse(name)
	positional := 0
	for _, f := range at {
		switch {
		case f == "":
			return nil, status.Errorf(errcode.EmptyFieldName,
				"The update path '%s' contains an empty field name, which is not allowed.", name)
		case f == "$":
			positional++
		case strings.HasPrefix(f, "$") && !isArrayFilter(f) && !p.update.options.modern() && !ofReference(f):
			return nil, p.update.options.dollar(f, name)
		}
	}
	switch {
	case positional > 1:
		return nil, status.Errorf(errcode.BadValue, "Too many positional (i.e. '$') elements found in path '%s'", name)
	case at[0] == "$":
		return nil, status.Errorf(errcode.BadValue, "Cannot have positional (i.e. '$') element in the first position in path '%s'", name)
	}
	p.update.dynamic = p.update.dynamic || positional > 0
	return at, nil
}

func ofReference(name string) bool { return name == "$id" || name == "$ref" || name == "$db" }

// isArrayFilter reports whether a component can match several positions: $[] or $[identifier].
func isArrayFilter(component string) bool {
	return len(component) > 2 && strings.HasPrefix(component, "$[") && strings.HasSuffix(component, "]")
}

func (p *parser) rename(name string, from path.Path, operand bson.RawValue) (change, error) {
	if err := p.claim(from); err != nil {
		return change{}, err
	}
	text := name + ": " + status.TextOf(operand)
	to, ok := operand.StringOK()
	if !ok {
		return change{}, status.Errorf(errcode.BadValue, "The 'to' field for $rename must be a string: %s", text)
	}
	target, err := p.path(to)
	if err != nil {
		return change{}, err
	}
	n := shared(from, target)
	switch {
	case strings.ContainsRune(to, 0):
		return change{}, status.Errorf(errcode.BadValue, "The 'to' field for $rename cannot contain an embedded null byte")
	case name == to:
		return change{}, status.Errorf(errcode.BadValue, "The source and target field for $rename must differ: %s", text)
	case n == len(from) || n == len(target):
		return change{}, status.Errorf(errcode.BadValue, "The source and target field for $rename must not be on the same path: %s", text)
	case isDynamic(from):
		return change{}, status.Errorf(errcode.BadValue, "The source field for $rename may not be dynamic: %s", name)
	case isDynamic(target):
		return change{}, status.Errorf(errcode.BadValue, "The destination field for $rename may not be dynamic: %s", to)
	}
	return change{path: target, source: from}, p.claim(target)
}

// shared returns how many leading components two paths share.
func shared(a, b path.Path) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func isDynamic(p path.Path) bool {
	return slices.ContainsFunc(p, func(f string) bool { return f == "$" || isArrayFilter(f) })
}
