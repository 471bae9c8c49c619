package agg

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// filler is the stage $fill. It turns the methods into window functions and the values into $ifNull.
type filler struct {
	sortBy, partition bson.RawValue
	methods, values   []byte // the fields for the output of $setWindowFields, and for $addFields
	linear            bool
}

func compileFill(c *compiler, spec bson.RawValue) (stage, error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.FailedToParse, "The $fill stage specification must be an object, found %s", value.TypeName(spec))
	}
	f := &filler{}
	for key, v := range d.All() {
		if err := f.readOption(key, v); err != nil {
			return nil, err
		}
	}
	output, ok := d.Lookup("output").DocumentOK()
	switch {
	case !ok:
		return nil, status.Errorf(errcode.Location40414, "BSON field '$fill.output' is missing but a required field")
	case output.Len() == 0:
		return nil, status.Errorf(6050203, "The output field to $fill must not be empty")
	}
	for name, v := range output.All() {
		if err := f.readOutput(name, v); err != nil {
			return nil, err
		}
	}
	if f.sortBy.IsZero() && f.linear {
		return nil, status.Errorf(605001, "$linearFill must be specified with a top level sortBy expression with exactly one element")
	}
	return f.stages(c)
}

func (f *filler) readOption(key string, v bson.RawValue) error {
	switch {
	case key == "sortBy" || key == "output":
		if v.Type != bsontype.EmbeddedDocument {
			return status.Errorf(errcode.TypeMismatch, "BSON field '$fill.%s' is the wrong type '%s', expected type 'object'", key, v.Type)
		}
		if key == "sortBy" {
			f.sortBy = v
		}
	case key != "partitionBy" && key != "partitionByFields":
		return status.Errorf(errcode.Location40415, "BSON field '$fill.%s' is an unknown field.", key)
	case !f.partition.IsZero():
		return status.Errorf(6050204, "Maximum one of 'partitionBy' and 'partitionByFields can be specified in '$fill'")
	case key == "partitionBy":
		f.partition = v
	default:
		by, err := partitionFields("$fill", v)
		f.partition = by
		return err
	}
	return nil
}

// partitionFields returns one expression for a list of fields.
func partitionFields(stage string, v bson.RawValue) (bson.RawValue, error) {
	if v.Type != bsontype.Array {
		return v, status.Errorf(errcode.TypeMismatch,
			"BSON field '%s.partitionByFields' is the wrong type '%s', expected type 'array'", stage, v.Type)
	}
	var fields []bson.RawValue
	for _, e := range value.Elements(v) {
		name, ok := e.StringOK()
		switch {
		case !ok:
			return v, status.Errorf(errcode.TypeMismatch,
				"BSON field '%s.partitionByFields' is the wrong type '%s', expected type 'string'", stage, e.Type)
		case name == "" || name[0] == '$':
			return v, status.Errorf(6050201, "Field names in %s.partitionByFields must not be empty or start with '$'", stage)
		}
		fields = append(fields, wrap("v", value.String("$"+name)))
	}
	// Each field is wrapped in a document. That keeps a missing field apart from null, and an array value apart from
	// the list of fields.
	return value.ArrayOf(fields...), nil
}

func (f *filler) readOutput(name string, v bson.RawValue) error {
	d, ok := v.DocumentOK()
	first, _ := d.Index(0)
	current := value.String("$" + name)
	for key := range d.All() {
		if key != "value" && key != "method" {
			return status.Errorf(errcode.Location40415, "BSON field '$fill.output.%s' is an unknown field.", key)
		}
	}
	switch {
	case !ok || d.Len() != 1:
		return status.Errorf(6050200, "Each field in the output to $fill must specify exactly one of 'value' or 'method'")
	case first.Key == "value":
		f.values = bson.AppendRawValueElement(f.values, name, wrap("$ifNull", value.ArrayOf(current, first.Value)))
	case value.Text(first.Value) == "linear":
		f.linear = true
		f.methods = bson.AppendRawValueElement(f.methods, name, wrap("$linearFill", current))
	case value.Text(first.Value) == "locf":
		f.methods = bson.AppendRawValueElement(f.methods, name, wrap("$locf", current))
	default:
		return status.Errorf(6050202, "Method must be either locf or linear")
	}
	return nil
}

// stages returns the two stages that $fill expands to.
func (f *filler) stages(c *compiler) (stage, error) {
	run := []stage{}
	if f.methods != nil {
		d, start := bson.AppendDocumentStart(nil)
		if !f.partition.IsZero() {
			d = bson.AppendRawValueElement(d, "partitionBy", f.wrapPartition())
		}
		if !f.sortBy.IsZero() {
			d = bson.AppendRawValueElement(d, "sortBy", f.sortBy)
		}
		d, in := bson.AppendDocumentElementStart(d, "output")
		d = bson.AppendDocumentEnd(append(d, f.methods...), in)
		s, err := compileSetWindowFields(c, value.Document(bson.AppendDocumentEnd(d, start)))
		if err != nil {
			return nil, err
		}
		run = append(run, s)
	}
	if f.values != nil {
		d, start := bson.AppendDocumentStart(nil)
		s, err := compileAddFields(c, value.Document(bson.AppendDocumentEnd(append(d, f.values...), start)))
		if err != nil {
			return nil, err
		}
		run = append(run, s)
	}
	return func(in Source) Source {
		for _, s := range run {
			in = s(in)
		}
		return in
	}, nil
}

// wrapPartition wraps the partition into one value that is not an array.
func (f *filler) wrapPartition() bson.RawValue {
	if f.partition.Type == bsontype.Array {
		return wrap("by", f.partition)
	}
	return f.partition
}
