package encode

import (
	"fmt"
	"reflect"

	"github.com/specdrivers/onion/runtime/fault"
)

// CheckOrder refuses a sort, a hint or an index bound that is a map with several keys. Go iterates over a map in random
// order, so the server would sort by keys in random order.
func CheckOrder(sort, hint any, bounds ...any) error {
	if err := RefuseUnordered("sort", sort); err != nil {
		return err
	}
	if name, ok := sort.(string); ok {
		return fmt.Errorf("mongo: the sort is a string: pass a document, such as bson.Doc(%q, 1), "+
			"or with -1 to begin with the largest", name)
	}
	if err := RefuseUnordered("hint", hint); err != nil {
		return err
	}
	for _, bound := range bounds {
		if err := RefuseUnordered("bound of an index", bound); err != nil {
			return err
		}
	}
	return nil
}

func checkEach[T any](list []T, check func(any) error) error {
	for _, item := range list {
		if err := check(item); err != nil {
			return err
		}
	}
	return nil
}

// RefuseUnordered refuses a map with several keys as an argument whose key order matters.
func RefuseUnordered(what string, v any) error {
	if v == nil {
		return nil
	}
	if rv := reflect.ValueOf(v); rv.Kind() == reflect.Map && rv.Len() > 1 {
		return fault.ErrMapForOrderedArgument{ParamName: what}
	}
	return nil
}
