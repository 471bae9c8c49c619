package expr

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/compare"
	"github.com/specdrivers/onion/runtime/mongotest/internal/number"
	"github.com/specdrivers/onion/runtime/mongotest/internal/order"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// namedFunction is an operator whose arguments have names; the first required ones must be given.
type namedFunction struct {
	names    []string
	required int
	call     func(env *Env, args []bson.RawValue, present []bool) (bson.RawValue, error)
}

func namedFunctions(name string) (namedFunction, bool) {
	for _, family := range [...]map[string]namedFunction{fields, texts, calendar} {
		if f, ok := family[name]; ok {
			return f, true
		}
	}
	return namedFunction{}, false
}

var fields = map[string]namedFunction{
	"$getField":   {[]string{"field", "input"}, 1, getField},
	"$setField":   {[]string{"field", "input", "value"}, 3, setField},
	"$unsetField": {[]string{"field", "input"}, 2, setField},
	"$convert":    {[]string{"input", "to", "onError", "onNull", "format", "base", "byteOrder"}, 2, convertNamed},
	"$zip":        {[]string{"inputs", "useLongestLength", "defaults"}, 1, zip},
	"$sortArray":  {[]string{"input", "sortBy"}, 2, sortArray},
}

// wrapField turns {$getField: name} into its long form.
func wrapField(arg bson.RawValue) bson.RawValue {
	if d, ok := arg.DocumentOK(); ok && !path.Field(d, "field").IsZero() {
		return arg
	}
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendRawValueElement(d, "field", arg)
	return value.Document(bson.AppendDocumentEnd(d, start))
}

func fieldName(op string, v bson.RawValue) (string, error) {
	name, ok := v.StringOK()
	if !ok {
		return "", status.Errorf(5654602, "%s requires 'field' to evaluate to type String, but got %s", op, value.TypeName(v))
	}
	return name, nil
}

func getField(env *Env, args []bson.RawValue, present []bool) (bson.RawValue, error) {
	name, err := fieldName("$getField", args[0])
	if err != nil {
		return missing, err
	}
	input := env.root
	if present[1] {
		input = args[1]
	}
	switch {
	case input.Type == bsontype.EmbeddedDocument:
		return path.Field(bson.Raw(input.Value), name), nil
	case value.Nullish(input) && !input.IsZero():
		return value.Null, nil
	}
	return missing, nil
}

// setField is $setField, and $unsetField, which has no value.
func setField(_ *Env, args []bson.RawValue, _ []bool) (bson.RawValue, error) {
	name, err := fieldName("$setField", args[0])
	if err != nil {
		return missing, err
	}
	input := args[1]
	switch {
	case value.Nullish(input):
		return value.Null, nil
	case input.Type != bsontype.EmbeddedDocument:
		return missing, status.Errorf(4161105, "$setField requires 'input' to evaluate to type Object, but got %s", input.Type)
	}
	var v bson.RawValue
	if len(args) > 2 {
		v = args[2]
	}
	dst, start := bson.AppendDocumentStart(nil)
	done := false
	for key, old := range bson.Raw(input.Value).All() {
		if key == name {
			old, done = v, true
		}
		if !old.IsZero() {
			dst = bson.AppendRawValueElement(dst, key, old)
		}
	}
	if !done && !v.IsZero() {
		dst = bson.AppendRawValueElement(dst, name, v)
	}
	return value.Document(bson.AppendDocumentEnd(dst, start)), nil
}

func convertNamed(_ *Env, args []bson.RawValue, present []bool) (bson.RawValue, error) {
	input, to := args[0], args[1]
	if d, ok := to.DocumentOK(); ok {
		to = path.Field(d, "type")
	}
	if value.Nullish(to) {
		return value.Null, nil
	}
	t, ok := targetType(to)
	if !ok {
		return missing, status.Errorf(errcode.BadValue, "Unknown type name: %s", status.TextOf(to))
	}
	if value.Nullish(input) {
		if present[3] {
			return args[3], nil
		}
		return value.Null, nil
	}
	v, err := convert(input, t)
	if err != nil && present[2] && status.Is(err, errcode.ConversionFailure) {
		return args[2], nil
	}
	return v, err
}

func targetType(v bson.RawValue) (bsontype.Type, bool) {
	name, isName := v.StringOK()
	n, isNumber := number.Whole(v)
	for _, t := range [...]bsontype.Type{
		bsontype.Double, bsontype.String, bsontype.ObjectID, bsontype.Boolean, bsontype.DateTime, bsontype.Int32,
		bsontype.Int64, bsontype.Decimal128,
	} {
		if isName && t.String() == name || isNumber && int64(t) == n {
			return t, true
		}
	}
	return 0, false
}

func zip(_ *Env, args []bson.RawValue, _ []bool) (bson.RawValue, error) {
	inputs := value.Elements(args[0])
	defaults := value.Elements(args[2])
	longest := value.Truthy(args[1])
	n := -1
	lists := make([][]bson.RawValue, len(inputs))
	for i, in := range inputs {
		if value.Nullish(in) {
			return value.Null, nil
		}
		if in.Type != bsontype.Array {
			return missing, status.Errorf(34468, "$zip found a non-array expression in input: %s", status.TextOf(in))
		}
		lists[i] = value.Elements(in)
		if n < 0 || longest && len(lists[i]) > n || !longest && len(lists[i]) < n {
			n = len(lists[i])
		}
	}
	var out []bson.RawValue
	for i := range max(n, 0) {
		row := make([]bson.RawValue, len(lists))
		for j, list := range lists {
			switch {
			case i < len(list):
				row[j] = list[i]
			case j < len(defaults):
				row[j] = defaults[j]
			}
		}
		out = append(out, value.ArrayOf(row...))
	}
	return value.ArrayOf(out...), nil
}

func sortArray(env *Env, args []bson.RawValue, _ []bool) (bson.RawValue, error) {
	switch {
	case value.Nullish(args[0]):
		return value.Null, nil
	case args[0].Type != bsontype.Array:
		return missing, status.Errorf(2942504, "The input argument to $sortArray must be an array, but was of type: %s", args[0].Type)
	}
	list := value.Elements(args[0])
	if d, ok := args[1].DocumentOK(); ok {
		o, err := order.Parse(d, env.collation)
		if err != nil || o == nil {
			return missing, err
		}
		keys := map[string]string{}
		for _, v := range list {
			d := value.EmptyDocument
			if v.Type == bsontype.EmbeddedDocument {
				d = bson.Raw(v.Value)
			}
			if keys[string(v.Value)], err = o.Key(d); err != nil {
				return missing, err
			}
		}
		slices.SortStableFunc(list, func(a, b bson.RawValue) int { return strings.Compare(keys[string(a.Value)], keys[string(b.Value)]) })
		return value.ArrayOf(list...), nil
	}
	n, ok := number.Whole(args[1])
	if !ok || n != 1 && n != -1 {
		return missing, status.Errorf(2942507, "The $sort element value must be either 1 or -1")
	}
	slices.SortStableFunc(list, func(a, b bson.RawValue) int { return int(n) * compare.Values(a, b, env.collation) })
	return value.ArrayOf(list...), nil
}
