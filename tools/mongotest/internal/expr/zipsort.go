package expr

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/order"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// compileZip compiles $zip. Its inputs and defaults must be written as arrays.
func (c *compiler) compileZip(arg bson.RawValue) (eval, error) {
	d, ok := arg.DocumentOK()
	if !ok {
		return nil, status.Errorf(34460, "$zip only supports an object as an argument, found %s", arg.Type)
	}
	var inputs, defaults []eval
	longest := false
	for key, v := range d.All() {
		var err error
		switch key {
		case "inputs":
			if v.Type != bsontype.Array {
				return nil, status.Errorf(34461, "inputs must be an array of expressions, found %s", v.Type)
			}
			inputs, err = c.compileAll(value.Elements(v))
		case "defaults":
			if v.Type != bsontype.Array {
				return nil, status.Errorf(34462, "defaults must be an array of expressions, found %s", v.Type)
			}
			defaults, err = c.compileAll(value.Elements(v))
		case "useLongestLength":
			if longest, ok = v.BooleanOK(); !ok {
				return nil, status.Errorf(34463, "useLongestLength must be a bool, found %s", v.Type)
			}
		default:
			return nil, status.Errorf(34464, "$zip found an unknown argument: %s", key)
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case len(inputs) == 0:
		return nil, status.Errorf(34465, "$zip requires at least one input array")
	case len(defaults) > 0 && !longest:
		return nil, status.Errorf(34466, "cannot specify defaults unless useLongestLength is true")
	case len(defaults) > 0 && len(defaults) != len(inputs):
		return nil, status.Errorf(34467, "defaults and inputs must have the same length")
	}
	return func(env *Env) (bson.RawValue, error) { return zip(env, inputs, defaults, longest) }, nil
}

func zip(env *Env, inputs, defaults []eval, longest bool) (bson.RawValue, error) {
	lists := make([][]bson.RawValue, len(inputs))
	n := 0
	for i, input := range inputs {
		in, err := input(env)
		switch {
		case err != nil:
			return missing, err
		case value.IsNullish(in):
			return value.Null, nil
		case in.Type != bsontype.Array:
			return missing, status.Errorf(34468, "$zip found a non-array expression in input: %s", status.TextOf(in))
		}
		lists[i] = value.Elements(in)
		if i == 0 || longest == (len(lists[i]) > n) {
			n = len(lists[i])
		}
	}
	fill, err := evaluate(env, defaults)
	if err != nil {
		return missing, err
	}
	var out []bson.RawValue
	for i := range n {
		row := make([]bson.RawValue, len(lists))
		for j, list := range lists {
			switch {
			case i < len(list):
				row[j] = list[i]
			case j < len(fill):
				row[j] = fill[j]
			}
		}
		out = append(out, value.ArrayOf(row...))
	}
	return value.ArrayOf(out...), nil
}

var sortArraySignature = signature{
	names:   []string{"input", "sortBy"},
	object:  refusal{2942500, "$sortArray requires an object as an argument, found: {type}"},
	unknown: refusal{2942501, "$sortArray found an unknown argument: {arg}"},
	missing: []refusal{{2942502, "$sortArray requires 'input' to be specified"}, {2942503, "$sortArray requires 'sortBy' to be specified"}},
}

// compileSortArray compiles $sortArray. sortBy is not an expression. It names fields of the elements, or is 1 or -1 to sort
// the elements themselves.
func (c *compiler) compileSortArray(arg bson.RawValue) (eval, error) {
	fields, err := sortArraySignature.members("$sortArray", arg)
	if err != nil {
		return nil, err
	}
	input, err := c.compile(fields[0])
	if err != nil {
		return nil, err
	}
	arrange, err := c.compileSortBy(fields[1])
	if err != nil {
		return nil, err
	}
	return func(env *Env) (bson.RawValue, error) {
		v, err := input(env)
		switch {
		case err != nil:
			return missing, err
		case value.IsNullish(v):
			return value.Null, nil
		case v.Type != bsontype.Array:
			return missing, status.Errorf(2942504, "The input argument to $sortArray must be an array, but was of type: %s", v.Type)
		}
		list, err := arrange(value.Elements(v))
		return value.ArrayOf(list...), err
	}, nil
}

// compileSortBy compiles sortBy into a sort function.
func (c *compiler) compileSortBy(by bson.RawValue) (func([]bson.RawValue) ([]bson.RawValue, error), error) {
	collation := c.scope.collation()
	d, ok := by.DocumentOK()
	if !ok {
		sign, whole := number.ExactInt64(by)
		switch {
		case !number.Is(by.Type):
			return nil, status.Errorf(2942507, "The 'sortBy' of $sortArray must be 1, -1 or an object, found %s", value.TypeName(by))
		case !whole || sign != 1 && sign != -1:
			return nil, status.Errorf(2942506, "The $sort element value must be either 1 or -1")
		}
		return func(list []bson.RawValue) ([]bson.RawValue, error) {
			slices.SortStableFunc(list, func(a, b bson.RawValue) int { return int(sign) * compare.Values(a, b, collation) })
			return list, nil
		}, nil
	}
	o, err := order.Parse(d, collation)
	switch {
	case status.Is(err, errcode.Location15974), status.Is(err, errcode.Location15975), err == nil && o == nil:
		return nil, status.Errorf(2942505, "The 'sortBy' of $sortArray must name fields with 1 or -1: %s", status.Text(d))
	case err != nil:
		return nil, err
	}
	return func(list []bson.RawValue) ([]bson.RawValue, error) { return sortByFields(list, o) }, nil
}

// sortByFields sorts by the fields of the elements. Elements that are not documents have no fields.
func sortByFields(list []bson.RawValue, o *order.Order) ([]bson.RawValue, error) {
	type keyed struct {
		key string
		v   bson.RawValue
	}
	all := make([]keyed, len(list))
	for i, v := range list {
		d := value.EmptyDocument
		if v.Type == bsontype.EmbeddedDocument {
			d = bson.Raw(v.Value)
		}
		key, err := o.Key(d)
		if err != nil {
			return nil, err
		}
		all[i] = keyed{key, v}
	}
	slices.SortStableFunc(all, func(a, b keyed) int { return strings.Compare(a.key, b.key) })
	for i := range all {
		list[i] = all[i].v
	}
	return list, nil
}
