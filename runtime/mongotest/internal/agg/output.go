package agg

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/expr"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// Output is what a last stage $out or $merge does.
type Output struct {
	Merge    bool
	DB, Name string
	On       []string
	// Matched is merge, replace, keepExisting, fail or pipeline; Unmatched is insert, discard or fail.
	Matched, Unmatched string

	pipeline bson.RawValue
	let      []string
	nodes    []expr.Node
	scope    *expr.Scope
}

func (c *compiler) output(name string, spec bson.RawValue) (*Output, error) {
	if name == "$merge" {
		return c.merge(spec)
	}
	o := &Output{DB: c.DB}
	if s, ok := spec.StringOK(); ok {
		o.Name = s
		return o, nil
	}
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(16990, "$out only supports a string or object argument, but found %s", spec.Type)
	}
	return o, o.into(d, "$out")
}

// into reads {db, coll}.
func (o *Output) into(d bson.Raw, name string) error {
	for key, v := range d.All() {
		s, ok := v.StringOK()
		switch {
		case key == "timeseries":
			return status.Errorf(errcode.CommandNotSupported, "%s into a time series collection is not supported in mongotest", name)
		case key != "db" && key != "coll":
			return status.Errorf(40415, "BSON field '%s.%s' is an unknown field.", name, key)
		case !ok:
			return status.Errorf(errcode.TypeMismatch, "BSON field '%s.%s' is the wrong type '%s', expected type 'string'", name, key, v.Type)
		case key == "db":
			o.DB = s
		default:
			o.Name = s
		}
	}
	if o.Name == "" {
		return status.Errorf(40414, "BSON field '%s.coll' is missing but a required field", name)
	}
	return nil
}

func (c *compiler) merge(spec bson.RawValue) (*Output, error) {
	o := &Output{Merge: true, DB: c.DB, Matched: "merge", Unmatched: "insert", On: []string{"_id"}, scope: c.Scope}
	if s, ok := spec.StringOK(); ok {
		o.Name = s
		return o, nil
	}
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(51182, "$merge only supports a string or object argument, not %s", spec.Type)
	}
	for key, v := range d.All() {
		if err := c.mergeOption(o, key, v); err != nil {
			return nil, err
		}
	}
	if o.Name == "" {
		return nil, status.Errorf(40414, "BSON field '$merge.into' is missing but a required field")
	}
	return o, nil
}

func (c *compiler) mergeOption(o *Output, key string, v bson.RawValue) error {
	s, isString := v.StringOK()
	switch key {
	case "into":
		if d, ok := v.DocumentOK(); ok {
			return o.into(d, "$merge")
		}
		if !isString {
			return status.Errorf(51178, "$merge 'into' field  must be either a string or an object, but found %s", v.Type)
		}
		o.Name = s
	case "on":
		o.On = nil
		list := []bson.RawValue{v}
		if v.Type == bsontype.Array {
			list = value.Elements(v)
		}
		for _, e := range list {
			o.On = append(o.On, value.Text(e))
		}
		if len(o.On) == 0 {
			return status.Errorf(51187, "If explicitly specifying $merge 'on', must include at least one field")
		}
	case "whenMatched":
		if v.Type == bsontype.Array {
			o.Matched, o.pipeline = "pipeline", v
			return nil
		}
		o.Matched = s
		switch s {
		case "merge", "replace", "keepExisting", "fail":
			return nil
		}
		return status.Errorf(errcode.BadValue, "Enumeration value '%s' for field 'whenMatched' is not a valid value.", s)
	case "whenNotMatched":
		o.Unmatched = s
		switch s {
		case "insert", "discard", "fail":
			return nil
		}
		return status.Errorf(errcode.BadValue, "Enumeration value '%s' for field '$merge.whenNotMatched' is not a valid value.", s)
	case "let":
		for name, e := range bson.Raw(v.Value).All() {
			node, err := expr.Compile(e, c.Scope)
			if err != nil {
				return err
			}
			o.let, o.nodes = append(o.let, name), append(o.nodes, node)
		}
	default:
		return status.Errorf(40415, "BSON field '$merge.%s' is an unknown field.", key)
	}
	return nil
}

// Combine is the document that replaces old when the pipeline's doc matches it; nil keeps old.
func (o *Output) Combine(old, doc bson.Raw) (bson.Raw, error) {
	switch o.Matched {
	case "replace":
		return doc, nil
	case "keepExisting":
		return nil, nil
	case "fail":
		return nil, status.Errorf(errcode.DuplicateKey, "$merge with whenMatched: fail found an existing document with the same values for the 'on' fields")
	case "merge":
		return bson.Raw(expr.Merge([]bson.RawValue{value.Document(old), value.Document(doc)}).Value), nil
	}
	vars := map[string]bson.RawValue{"new": value.Document(doc)}
	for i, name := range o.let {
		v, err := o.nodes[i].Eval(doc)
		if err != nil {
			return nil, err
		}
		vars[name] = v
	}
	u, err := CompileUpdate(o.pipeline, o.scope.With(vars))
	if err != nil {
		return nil, err
	}
	return u.Apply(old)
}
