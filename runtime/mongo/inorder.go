package mongo

import (
	"reflect"

	"github.com/specdrivers/onion/runtime/fault"
)

// inOrder refuses a sort or a hint that is a map with several keys: Go walks over a map in any order, so that the server
// would sort by chance.
func inOrder(sort, hint any) error {
	if err := ordered("sort", `bson.Doc("name", 1, "age", -1)`, sort); err != nil {
		return err
	}
	return ordered("hint", `bson.Doc("name", 1, "age", -1)`, hint)
}

// ordered refuses a map with several keys as an argument in which the order of the keys counts.
func ordered(what, example string, v any) error {
	if v == nil {
		return nil
	}
	if rv := reflect.ValueOf(v); rv.Kind() == reflect.Map && rv.Len() > 1 {
		return fault.ErrMapForOrderedArgument{ParamName: what, Example: example}
	}
	return nil
}
