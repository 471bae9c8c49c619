package agg

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// Stage returns the name of the stage.
func (o *Output) Stage() string {
	if o.Merge {
		return "$merge"
	}
	return "$out"
}

func (c *compiler) compileOutput(name string, spec bson.RawValue) (*Output, error) {
	o := &Output{DB: c.DB}
	var err error
	if name == "$merge" {
		o, err = c.compileMerge(spec)
	} else {
		err = c.readOut(o, spec)
	}
	if err != nil {
		return nil, err
	}
	return o, o.checkTarget(name)
}

// readOut reads a name or, since 4.4, {db, coll}.
func (c *compiler) readOut(o *Output, spec bson.RawValue) error {
	d, isDocument := spec.DocumentOK()
	switch {
	case spec.Type == bsontype.String:
		o.Name = value.Text(spec)
		return nil
	case !isDocument || c.Scope.Wire() < wire.Server44:
		return status.Errorf(16990, "$out only supports a string or object argument, but found %s", spec.Type)
	}
	return o.readInto(d, "$out")
}

// checkTarget refuses collections that belong to the server.
func (o *Output) checkTarget(stage string) error {
	codes := map[string][2]errcode.Code{"$out": {17385, 31321}, "$merge": {31319, 31320}}[stage]
	verb := "Can't"
	if stage == "$merge" {
		verb = "Cannot"
	}
	switch {
	case o.Name == "":
		return status.Errorf(errcode.InvalidNamespace, "Invalid %s target namespace: '%s.'", stage, o.DB)
	case strings.HasPrefix(o.Name, "system."):
		return status.Errorf(codes[0], "%s %s to special collection: %s", verb, stage, o.Name)
	case o.DB == "admin" || o.DB == "local" || o.DB == "config":
		return status.Errorf(codes[1], "%s %s to internal database: %s", verb, stage, o.DB)
	}
	return nil
}

// readInto reads {db, coll}.
func (o *Output) readInto(d bson.Raw, name string) error {
	given := map[string]bool{"db": name == "$merge"}
	for key, v := range d.All() {
		s, ok := v.StringOK()
		switch {
		case name == "$out" && given[key]:
			return status.Errorf(40413, "BSON field '%s.%s' is a duplicate field", name, key)
		case name == "$out" && v.Type == bsontype.Null:
		case key == "timeseries" && name == "$out":
			return status.Errorf(errcode.CommandNotSupported, "%s into a time series collection is not supported in mongotest", name)
		case key != "db" && key != "coll":
			return status.Errorf(errcode.Location40415, "BSON field '%s.%s' is an unknown field.", name, key)
		case !ok:
			return status.Errorf(errcode.TypeMismatch,
				"BSON field '%s.%s' is the wrong type '%s', expected type 'string'", name, key, v.Type)
		case key == "db":
			o.DB = s
		default:
			o.Name = s
		}
		given[key] = given[key] || ok
	}
	for _, key := range [...]string{"db", "coll"} {
		if !given[key] {
			return status.Errorf(errcode.Location40414, "BSON field '%s.%s' is missing but a required field", name, key)
		}
	}
	return nil
}

func (c *compiler) compileMerge(spec bson.RawValue) (*Output, error) {
	o := &Output{Merge: true, DB: c.DB, Matched: "merge", Unmatched: "insert", On: []string{"_id"}, scope: c.Scope}
	if s, ok := spec.StringOK(); ok && s != "" {
		o.Name = s
		return o, nil
	} else if ok {
		return nil, status.Errorf(5786800, "$merge cannot have an empty string as its target")
	}
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.TypeMismatch, "$merge requires a string or object argument, but found %s", spec.Type)
	}
	for key, v := range d.All() {
		if err := c.readMergeOption(o, key, v); err != nil {
			return nil, err
		}
	}
	if path.Field(d, "into").IsZero() {
		return nil, status.Errorf(errcode.Location40414, "BSON field '$merge.into' is missing but a required field")
	}
	return o, o.checkModes(path.Field(d, "let"))
}

// checkModes refuses options that contradict each other.
func (o *Output) checkModes(let bson.RawValue) error {
	switch {
	case o.Unmatched != "insert" && (o.Matched == "keepExisting" || o.Matched == "fail"):
		return status.Errorf(51181,
			"Combination of $merge modes 'whenMatched: %s' and 'whenNotMatched: %s' is not supported", o.Matched, o.Unmatched)
	case o.hasLet && o.Matched != "pipeline":
		return status.Errorf(51199, "Cannot use 'let' variables with 'whenMatched: %s' mode", o.Matched)
	}
	if d, ok := let.DocumentOK(); ok {
		if v := path.Field(d, "new"); !v.IsZero() && value.Text(v) != "$$ROOT" {
			return status.Errorf(51273, "'let' may not define a value for the reserved 'new' variable other than '$$ROOT'")
		}
	}
	return nil
}

func (c *compiler) readMergeOption(o *Output, key string, v bson.RawValue) error {
	s, isString := v.StringOK()
	switch key {
	case "into":
		d, isDocument := v.DocumentOK()
		coll := d.Lookup("coll")
		switch {
		case isDocument && (value.IsNullish(coll) || coll.Type == bsontype.String && value.Text(coll) == ""):
			return status.Errorf(5786801, "$merge 'into' field must name a 'coll' that is not empty")
		case isDocument:
			return o.readInto(d, "$merge")
		case !isString:
			return status.Errorf(51178, "$merge 'into' field  must be either a string or an object, but found %s", v.Type)
		case s == "":
			return status.Errorf(5786800, "$merge 'into' field cannot be an empty string")
		}
		o.Name = s
	case "on":
		return c.readMergeOn(o, v)
	case "whenMatched":
		if v.Type == bsontype.Array {
			o.Matched, o.pipeline = "pipeline", v
			return nil
		}
		if !isString {
			return status.Errorf(51191, "$merge 'whenMatched' field  must be either a string or an array, but found %s", v.Type)
		}
		o.Matched = s
		switch s {
		case "merge", "replace", "keepExisting", "fail":
			return nil
		}
		return status.Errorf(errcode.BadValue, "Enumeration value '%s' for field 'whenMatched' is not a valid value.", s)
	case "whenNotMatched":
		if !isString {
			return status.Errorf(errcode.TypeMismatch,
				"BSON field '$merge.whenNotMatched' is the wrong type '%s', expected type 'string'", v.Type)
		}
		o.Unmatched = s
		switch s {
		case "insert", "discard", "fail":
			return nil
		}
		return status.Errorf(errcode.BadValue, "Enumeration value '%s' for field '$merge.whenNotMatched' is not a valid value.", s)
	case "let":
		return c.readMergeLet(o, v)
	default:
		return status.Errorf(errcode.Location40415, "BSON field '$merge.%s' is an unknown field.", key)
	}
	return nil
}

// readMergeOn reads the fields that identify a document.
func (c *compiler) readMergeOn(o *Output, v bson.RawValue) error {
	list := []bson.RawValue{v}
	if v.Type == bsontype.Array {
		if list = value.Elements(v); len(list) == 0 {
			return status.Errorf(51187, "If explicitly specifying $merge 'on', must include at least one field")
		}
	} else if v.Type != bsontype.String {
		return status.Errorf(51186, "$merge 'on' field  must be either a string or an array of strings, but found %s", v.Type)
	}
	o.On = nil
	seen := map[string]bool{}
	for _, e := range list {
		name, ok := e.StringOK()
		switch {
		case !ok:
			return status.Errorf(51134, "$merge 'on' array elements must be strings, but found %s", e.Type)
		case seen[name]:
			return status.Errorf(31465, "Found a duplicate field '%s'", name)
		}
		if _, err := expr.CheckPath(name, c.Scope); err != nil {
			return err
		}
		seen[name] = true
		o.On = append(o.On, name)
	}
	return nil
}

func (c *compiler) readMergeLet(o *Output, v bson.RawValue) error {
	d, ok := v.DocumentOK()
	if !ok {
		return status.Errorf(errcode.TypeMismatch, "BSON field '$merge.let' is the wrong type '%s', expected type 'object'", v.Type)
	}
	o.hasLet = true
	for name, e := range d.All() {
		if err := c.Scope.CheckVariable(name); err != nil {
			return err
		}
		node, err := expr.Compile(e, c.Scope)
		if err != nil {
			return err
		}
		o.let, o.nodes = append(o.let, name), append(o.nodes, node)
	}
	return nil
}
