package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// checkPluginOptions refuses values of the options that only geospatial and wildcard indexes have.
func checkPluginOptions(_ *store.Index, plugin string, spec bson.Raw, _ int32) error {
	or := func(name string, otherwise float64) float64 {
		if v := spec.Lookup(name); number.Is(v.Type) {
			return number.Float64(v)
		}
		return otherwise
	}
	version := or("2dsphereIndexVersion", 3)
	projection, projects := spec.Lookup("wildcardProjection").DocumentOK()
	switch bits, low, high := or("bits", 26), or("min", -180), or("max", 180); {
	case plugin == "2d" && (bits < 1 || bits > 32):
		return status.Errorf(errcode.InvalidOptions, "bits for hash must be > 0 and <= 32, but %d bits were specified", int64(bits))
	case plugin == "2d" && !(low < high):
		return status.Errorf(errcode.InvalidOptions,
			"region for hash must be valid and have positive area, but [%g, %g] was specified", low, high)
	case plugin == "2dsphere" && version != 1 && version != 2 && version != 3:
		return status.Errorf(errcode.CannotCreateIndex,
			"unsupported geo index version { 2dsphereIndexVersion : %g }, only support versions: [1,2,3]", version)
	case projects && plugin != wildcard:
		return status.Errorf(errcode.BadValue, "The field 'wildcardProjection' is only allowed in an 'wildcard' index")
	case projects:
		return checkOneKind(projection, "", new(bson.RawValue))
	}
	return nil
}

// checkOneKind refuses a wildcard projection that includes some fields and excludes others. Only _id may differ.
func checkOneKind(d bson.Raw, prefix string, first *bson.RawValue) error {
	for name, v := range d.All() {
		if inner, ok := v.DocumentOK(); ok {
			if err := checkOneKind(inner, prefix+name+".", first); err != nil {
				return err
			}
			continue
		}
		if prefix == "" && name == "_id" {
			continue
		}
		if first.IsZero() {
			*first = v
		}
		switch includes := value.IsTruthy(*first); {
		case includes && !value.IsTruthy(v):
			return status.Errorf(errcode.Location31254, "Cannot do exclusion on field %s in inclusion projection", prefix+name)
		case !includes && value.IsTruthy(v):
			return status.Errorf(errcode.Location31253, "Cannot do inclusion on field %s in exclusion projection", prefix+name)
		}
	}
	return nil
}

// samePluginOptions reports whether two indexes agree on the options that only text and geospatial indexes have.
func samePluginOptions(a, b *store.Index) bool {
	for _, name := range [...]string{
		"weights", "default_language", "language_override", "textIndexVersion", "2dsphereIndexVersion", "bits", "min", "max",
	} {
		if compare.Values(a.Spec.Lookup(name), b.Spec.Lookup(name), nil) != 0 {
			return false
		}
	}
	return true
}
