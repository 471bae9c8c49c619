package update

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// compileFilters compiles the array filters and maps them by identifier.
func (u *Update) compileFilters(o Options) error {
	plain := o.Query
	plain.Plain = true
	u.filters = map[string]*query.Filter{}
	for _, d := range o.ArrayFilters {
		f, err := query.Compile(d, plain)
		var identifier string
		if err == nil {
			identifier, err = identifierOf(d)
		}
		if err != nil {
			e := status.From(err)
			return status.Errorf(e.Code, "Error parsing array filter :: caused by :: %s", e.Message)
		}
		switch {
		case identifier == "":
			return status.Errorf(errcode.FailedToParse, "Cannot use an expression without a top-level field name in arrayFilters")
		case u.filters[identifier] != nil:
			return status.Errorf(errcode.FailedToParse, "Found multiple array filters with the same top-level field name %s", identifier)
		}
		u.filters[identifier] = f
	}
	return nil
}

// identifierOf returns the single top-level name that an array filter's conditions begin with, or "" if it has none.
func identifierOf(d bson.Raw) (string, error) {
	var names []string
	topNames(d, &names, 0)
	if len(names) == 0 {
		return "", nil
	}
	for _, name := range names[1:] {
		if name != names[0] {
			return "", status.Errorf(errcode.FailedToParse, "Expected a single top-level field name, found '%s' and '%s'", names[0], name)
		}
	}
	if name := names[0]; name == "" || name[0] < 'a' || name[0] > 'z' || strings.ContainsFunc(name, isNotAlphanumeric) {
		return "", status.Errorf(errcode.BadValue,
			"The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '%s'", name)
	}
	return names[0], nil
}

func isNotAlphanumeric(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

func topNames(d bson.Raw, names *[]string, depth int) {
	for key, v := range d.All() {
		switch key {
		case "$and", "$or", "$nor":
			for _, e := range value.Elements(v) {
				if e.Type == bsontype.EmbeddedDocument && depth < 100 {
					topNames(bson.Raw(e.Value), names, depth+1)
				}
			}
		default:
			if first, _, _ := strings.Cut(key, "."); !strings.HasPrefix(key, "$") {
				*names = append(*names, first)
			}
		}
	}
}

// checkUsed refuses an array filter whose identifier occurs in no path.
func (u *Update) checkUsed(used map[string]bool, d bson.Raw) error {
	var unused []string
	for identifier := range u.filters {
		if !used[identifier] {
			unused = append(unused, identifier)
		}
	}
	if len(unused) == 0 {
		return nil
	}
	return status.Errorf(errcode.FailedToParse,
		"The array filter for identifier '%s' was not used in the update %s", slices.Min(unused), status.Text(d))
}
