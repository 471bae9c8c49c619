package main

import "strings"

// The helpers below take the place of the official driver's ValueWriter and ValueReader in functions that stay.

const valueReading = `
// bsonValueReader gives the value that a decoder reads.
type bsonValueReader struct{ value bson.RawValue }

func (r *bsonValueReader) checkType(ok bool, wanted bsontype.Type) error {
	if !ok {
		return fmt.Errorf("the value is of type %v, not %v", r.value.Type, wanted)
	}
	return nil
}

func (r *bsonValueReader) Type() bsontype.Type { return r.value.Type }
func (r *bsonValueReader) Skip() error { return nil }
func (r *bsonValueReader) ReadNull() error {
	return r.checkType(r.value.Type == bsontype.Null, bsontype.Null)
}
func (r *bsonValueReader) ReadUndefined() error {
	return r.checkType(r.value.Type == bsontype.Undefined, bsontype.Undefined)
}
func (r *bsonValueReader) ReadBinary() (data []byte, subtype byte, err error) {
	subtype, data, ok := r.value.BinaryOK()
	return slices.Clone(data), subtype, r.checkType(ok, bsontype.Binary)
}
func (r *bsonValueReader) ReadTimestamp() (t, i uint32, err error) {
	t, i, ok := r.value.TimestampOK()
	return t, i, r.checkType(ok, bsontype.Timestamp)
}
`

// writers are the methods of a ValueWriter with one argument: name, type of the argument, and what is written.
var writers = []struct{ name, argument, value string }{
	{"WriteBinary", "[]byte", "bson.Binary{Data: v}"},
	{"WriteBoolean", "bool", "v"},
	{"WriteDateTime", "int64", "bson.DateTime(v)"},
	{"WriteDecimal128", "bson.Decimal128", "v"},
	{"WriteDouble", "float64", "v"},
	{"WriteInt32", "int32", "bson.RawValue{Type: bsontype.Int32, Value: binary.LittleEndian.AppendUint32(nil, uint32(v))}"},
	{"WriteInt64", "int64", "bson.RawValue{Type: bsontype.Int64, Value: binary.LittleEndian.AppendUint64(nil, uint64(v))}"},
	{"WriteObjectID", "bson.ObjectID", "v"},
	{"WriteString", "string", "v"},
	{"WriteSymbol", "string", "bson.Symbol(v)"},
}

// readers are the methods of a ValueReader with one result besides the error: name, type of the result, and BSON type.
var readers = []struct{ name, result, kind string }{
	{"ReadBoolean", "bool", "Boolean"},
	{"ReadDateTime", "int64", "DateTime"},
	{"ReadDecimal128", "bson.Decimal128", "Decimal128"},
	{"ReadDouble", "float64", "Double"},
	{"ReadInt32", "int32", "Int32"},
	{"ReadInt64", "int64", "Int64"},
	{"ReadObjectID", "bson.ObjectID", "ObjectID"},
	{"ReadString", "string", "String"},
	{"ReadSymbol", "string", "Symbol"},
}

func writerSource() string {
	var b strings.Builder
	b.WriteString(`
// bsonValueWriter takes the value that an encoder writes.
type bsonValueWriter struct{ value bson.RawValue }

func (w *bsonValueWriter) write(v any) error {
	t, data, err := bson.AppendValue(nil, v)
	w.value = bson.RawValue{Type: t, Value: data}
	return err
}

func (w *bsonValueWriter) WriteNull() error { return w.write(bson.Null{}) }
func (w *bsonValueWriter) WriteUndefined() error { return w.write(bson.Undefined{}) }
func (w *bsonValueWriter) WriteBinaryWithSubtype(data []byte, subtype byte) error {
	return w.write(bson.Binary{Subtype: subtype, Data: data})
}
func (w *bsonValueWriter) WriteTimestamp(t, i uint32) error { return w.write(bson.Timestamp{T: t, I: i}) }
`)
	for _, m := range writers {
		b.WriteString("func (w *bsonValueWriter) " + m.name + "(v " + m.argument + ") error { return w.write(" + m.value + ") }\n")
	}
	return b.String()
}

func readerSource() string {
	var b strings.Builder
	b.WriteString(valueReading)
	for _, m := range readers {
		b.WriteString("func (r *bsonValueReader) " + m.name + "() (" + m.result + ", error) {\n" +
			"v, ok := r.value." + m.kind + "OK()\nreturn v, r.checkType(ok, bsontype." + m.kind + ")\n}\n")
	}
	return b.String()
}

const encodingWith = `
// bsonEncoder is a function that writes a value, as it was written for the official driver.
type bsonEncoder func(struct{}, *bsonValueWriter, reflect.Value) error

// EncodeValue calls the function.
func (e bsonEncoder) EncodeValue(c struct{}, w *bsonValueWriter, v reflect.Value) error { return e(c, w, v) }

// bsonEncodeWith turns a function that writes a value into the function of a codec.
func bsonEncodeWith[T any](encode bsonEncoder) func(T) (bson.RawValue, error) {
	return func(v T) (bson.RawValue, error) {
		var w bsonValueWriter
		err := encode(struct{}{}, &w, reflect.ValueOf(&v).Elem())
		return w.value, err
	}
}
`

const decodingWith = `
// bsonDecoder is a function that reads a value, as it was written for the official driver.
type bsonDecoder func(struct{}, *bsonValueReader, reflect.Value) error

// DecodeValue calls the function.
func (d bsonDecoder) DecodeValue(c struct{}, r *bsonValueReader, v reflect.Value) error { return d(c, r, v) }

// bsonDecodeWith turns a function that reads a value into the function of a codec.
func bsonDecodeWith[T any](decode bsonDecoder) func(bson.RawValue) (T, error) {
	return func(value bson.RawValue) (v T, err error) {
		err = decode(struct{}{}, &bsonValueReader{value}, reflect.ValueOf(&v).Elem())
		return v, err
	}
}
`
