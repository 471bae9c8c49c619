package update

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/collate"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	"github.com/specdrivers/onion/runtime/mongotest/internal/query"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// Options are what an update depends on besides itself.
type Options struct {
	ArrayFilters []bson.Raw
	Query        query.Options
}

// Update is a compiled update document. It may be used by several goroutines.
type Update struct {
	changes     []change
	filters     map[string]*query.Filter
	replacement bson.Raw
	collation   *collate.Collator
}

// change is one operator on one path.
type change struct {
	op   string
	path path.Path
	name string
	run  operator
	// target is the path that $rename moves to, where the change stands in the order of paths.
	source path.Path
}

// operator computes the new value of a field.
type operator struct {
	creates bool // the path to the field is made when it is missing
	insert  bool // only for an insert
	apply   func(a *application, old bson.RawValue) (bson.RawValue, error)
}

// IsReplacement reports an update document without operators.
func IsReplacement(d bson.Raw) bool {
	first, ok := d.Index(0)
	return !ok || !strings.HasPrefix(first.Key, "$")
}

// Compile checks and compiles an update document.
func Compile(d bson.Raw, o Options) (*Update, error) {
	u := &Update{collation: o.Query.Collation}
	if IsReplacement(d) {
		if len(o.ArrayFilters) > 0 {
			return nil, status.Errorf(errcode.FailedToParse, "arrayFilters may not be specified for replacement-syle updates")
		}
		for key := range d.All() {
			if strings.HasPrefix(key, "$") {
				return nil, status.Errorf(errcode.DollarPrefixedFieldName, "The dollar ($) prefixed field '%s' in '%s' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.", key, key)
			}
		}
		u.replacement = d
		return u, nil
	}
	if err := u.filtersOf(o); err != nil {
		return nil, err
	}
	for op, v := range d.All() {
		if err := u.operator(op, v, o); err != nil {
			return nil, err
		}
	}
	if err := u.checkFilters(d); err != nil {
		return nil, err
	}
	slices.SortStableFunc(u.changes, func(a, b change) int { return comparePaths(a.path, b.path) })
	return u, u.checkConflicts()
}

func (u *Update) operator(op string, v bson.RawValue, o Options) error {
	build, known := operators[op]
	switch {
	case !strings.HasPrefix(op, "$"), !known:
		return status.Errorf(errcode.FailedToParse, "Unknown modifier: %s. Expected a valid update modifier or pipeline-style update specified as an array", op)
	case v.Type != bsontype.EmbeddedDocument:
		return status.Errorf(errcode.FailedToParse, "Modifiers operate on fields but we found type %s instead. For example: {$mod: {<field>: ...}} not {%s: %s}", v.Type, op, status.TextOf(v))
	}
	for name, operand := range bson.Raw(v.Value).All() {
		p, err := parsePath(name)
		if err != nil {
			return err
		}
		if op == "$rename" {
			if err := u.rename(name, p, operand); err != nil {
				return err
			}
			continue
		}
		run, err := build(name, operand, o)
		if err != nil {
			return err
		}
		u.changes = append(u.changes, change{op: op, path: p, name: name, run: run})
	}
	return nil
}

func parsePath(name string) (path.Path, error) {
	if name == "" {
		return nil, status.Errorf(errcode.EmptyFieldName, "An empty update path is not valid.")
	}
	p := path.Parse(name)
	for i, f := range p {
		switch {
		case f == "":
			return nil, status.Errorf(errcode.EmptyFieldName, "The update path '%s' contains an empty field name, which is not allowed.", name)
		case i == 0 && (f == "$" || strings.HasPrefix(f, "$[")):
			return nil, status.Errorf(errcode.BadValue, "Cannot have positional (i.e. '$') element in the first position in path '%s'", name)
		case strings.HasPrefix(f, "$") && f != "$" && !strings.HasPrefix(f, "$[") && f != "$id" && f != "$ref" && f != "$db":
			return nil, status.Errorf(errcode.DollarPrefixedFieldName, "The dollar ($) prefixed field '%s' in '%s' is not valid for storage.", f, name)
		}
	}
	return p, nil
}

func (u *Update) rename(name string, from path.Path, operand bson.RawValue) error {
	to, ok := operand.StringOK()
	if !ok {
		return status.Errorf(errcode.BadValue, "The 'to' field for $rename must be a string: %s: %s", name, status.TextOf(operand))
	}
	target, err := parsePath(to)
	if err != nil {
		return err
	}
	for _, p := range [...]path.Path{from, target} {
		for _, f := range p {
			if strings.HasPrefix(f, "$") {
				return status.Errorf(errcode.BadValue, "The source and destination field for $rename may not be dynamic: %s", p)
			}
		}
	}
	if name == to {
		return status.Errorf(errcode.BadValue, "The source and target field for $rename must differ: %s: %s", name, status.TextOf(operand))
	}
	u.changes = append(u.changes, change{op: "$rename", path: from, name: name}, change{op: "$rename", path: target, name: to, source: from})
	return nil
}

// comparePaths orders paths by component, positions by number.
func comparePaths(a, b path.Path) int {
	for i := range min(len(a), len(b)) {
		m, n := path.Index(a[i]), path.Index(b[i])
		if m >= 0 && n >= 0 {
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

// checkConflicts refuses two changes of which one path leads to or through the other.
func (u *Update) checkConflicts() error {
	for i := 1; i < len(u.changes); i++ {
		a, b := u.changes[i-1].path, u.changes[i].path
		n := 0
		for n < len(a) && n < len(b) && a[n] == b[n] {
			n++
		}
		if n == len(a) || n == len(b) {
			return status.Errorf(errcode.ConflictingUpdateOperators, "Updating the path '%s' would create a conflict at '%s'", u.changes[i].name, path.Path(b[:n]))
		}
	}
	return nil
}

// filtersOf compiles the array filters by their identifiers.
func (u *Update) filtersOf(o Options) error {
	u.filters = map[string]*query.Filter{}
	for _, d := range o.ArrayFilters {
		identifier, err := identifierOf(d)
		if err != nil {
			return err
		}
		if u.filters[identifier] != nil {
			return status.Errorf(errcode.FailedToParse, "Found multiple array filters with the same top-level field name %s", identifier)
		}
		if u.filters[identifier], err = query.Compile(d, o.Query); err != nil {
			return err
		}
	}
	return nil
}

// identifierOf is the one top-level name that an array filter's conditions begin with.
func identifierOf(d bson.Raw) (string, error) {
	names := map[string]bool{}
	topNames(d, names, 0)
	switch {
	case len(names) == 0:
		return "", status.Errorf(errcode.FailedToParse, "Cannot use an expression without a top-level field name in arrayFilters")
	case len(names) > 1:
		var list []string
		for name := range names {
			list = append(list, name)
		}
		slices.Sort(list)
		return "", status.Errorf(errcode.FailedToParse, "Error parsing array filter :: caused by :: Expected a single top-level field name, found '%s' and '%s'", list[0], list[1])
	}
	for name := range names {
		if c := name[0]; c < 'a' || c > 'z' || strings.ContainsFunc(name, notAlphanumeric) {
			return "", status.Errorf(errcode.BadValue, "Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '%s'", name)
		}
		return name, nil
	}
	return "", nil
}

func notAlphanumeric(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

func topNames(d bson.Raw, names map[string]bool, depth int) {
	for key, v := range d.All() {
		if !strings.HasPrefix(key, "$") {
			if first, _, _ := strings.Cut(key, "."); first != "" {
				names[first] = true
			}
			continue
		}
		for _, e := range value.Elements(v) {
			if e.Type == bsontype.EmbeddedDocument && depth < 50 {
				topNames(bson.Raw(e.Value), names, depth+1)
			}
		}
	}
}

// checkFilters compares the identifiers in paths with those of the filters.
func (u *Update) checkFilters(d bson.Raw) error {
	used := map[string]bool{}
	for _, c := range u.changes {
		for _, f := range c.path {
			identifier, ok := strings.CutPrefix(f, "$[")
			identifier = strings.TrimSuffix(identifier, "]")
			if !ok || identifier == "" {
				continue
			}
			if u.filters[identifier] == nil {
				return status.Errorf(errcode.BadValue, "No array filter found for identifier '%s' in path '%s'", identifier, c.name)
			}
			used[identifier] = true
		}
	}
	for identifier := range u.filters {
		if !used[identifier] {
			return status.Errorf(errcode.FailedToParse, "The array filter for identifier '%s' was not used in the update %s", identifier, status.Text(d))
		}
	}
	return nil
}
