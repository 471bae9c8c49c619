package mongo

import (
	"reflect"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/fault"
)

const exampleKeys = `bson.Doc("name", 1, "age", -1)`

// inOrder refuses a sort, a hint or a bound of an index that is a map with several keys: Go walks over a map in any order,
// so that the server would sort by chance.
func inOrder(sort, hint any, bounds ...any) error {
	if err := ordered("sort", exampleKeys, sort); err != nil {
		return err
	}
	if err := ordered("hint", exampleKeys, hint); err != nil {
		return err
	}
	for _, bound := range bounds {
		if err := ordered("bound of an index", exampleKeys, bound); err != nil {
			return err
		}
	}
	return nil
}

// inOrderStages does the same for the $sort stages of a pipeline, as far as its type tells them apart.
func inOrderStages(pipeline any) error {
	stage := func(key string, v any) error {
		if key != "$sort" {
			return nil
		}
		return ordered("$sort stage", `bson.Doc("$sort", `+exampleKeys+`)`, v)
	}
	document := func(doc any) error {
		switch doc := doc.(type) {
		case bson.D:
			if len(doc) > 0 {
				return stage(doc[0].Key, doc[0].Value)
			}
		case bson.M:
			return stage("$sort", doc["$sort"])
		}
		return nil
	}
	switch list := pipeline.(type) {
	case Pipeline:
		return firstError(list, document)
	case []bson.D:
		return firstError(list, document)
	case []bson.M:
		return firstError(list, document)
	case bson.A:
		return firstError(list, document)
	case []any:
		return firstError(list, document)
	}
	return nil
}

func firstError[T any](list []T, check func(any) error) error {
	for _, item := range list {
		if err := check(item); err != nil {
			return err
		}
	}
	return nil
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
