package fault

import (
	"math"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
)

// NewCommandError reads a reply that says "ok: 0". The reply is not copied.
func NewCommandError(command, address string, reply bson.Raw) CommandError {
	e := CommandError{Command: command, Address: address, Raw: reply}
	for key, value := range reply.All() {
		switch key {
		case wire.FieldCode:
			e.Code = CodeOf(value)
		case wire.FieldCodeName:
			e.Name = text(value)
		case wire.FieldErrmsg:
			e.Message = text(value)
		case wire.FieldErrorLabels:
			e.Labels = labelsOf(value)
		}
	}
	return e
}

// NewWriteConcernError reads the writeConcernError of a reply; nil when it has none.
func NewWriteConcernError(reply bson.Raw) *WriteConcernError {
	doc, ok := reply.Lookup(wire.FieldWriteConcernError).DocumentOK()
	if !ok {
		return nil
	}
	e := &WriteConcernError{Raw: doc, Labels: labelsOf(reply.Lookup(wire.FieldErrorLabels))}
	for key, value := range doc.All() {
		switch key {
		case wire.FieldCode:
			e.Code = CodeOf(value)
		case wire.FieldCodeName:
			e.Name = text(value)
		case wire.FieldErrmsg:
			e.Message = text(value)
		case wire.FieldErrInfo:
			e.Details, _ = value.DocumentOK()
		case wire.FieldErrorLabels:
			e.Labels = union(e.Labels, labelsOf(value))
		}
	}
	return e
}

// NewWriteErrors reads the writeErrors of a reply. offset is added to each index: the number of statements that other
// commands of the same operation carried before.
func NewWriteErrors(reply bson.Raw, offset int) WriteErrors {
	array, ok := reply.Lookup(wire.FieldWriteErrors).ArrayOK()
	if !ok {
		return nil
	}
	var list WriteErrors
	for _, item := range array.All() {
		if doc, ok := item.DocumentOK(); ok {
			list = append(list, newWriteError(doc, offset))
		}
	}
	return list
}

func newWriteError(doc bson.Raw, offset int) WriteError {
	e := WriteError{Index: offset, Raw: doc}
	for key, value := range doc.All() {
		switch key {
		case "index":
			index, _ := value.AsInt64OK()
			e.Index = offset + int(index)
		case wire.FieldCode:
			e.Code = CodeOf(value)
			e.Name = nameOf(e.Code)
		case wire.FieldErrmsg:
			e.Message = text(value)
		case wire.FieldErrInfo:
			e.Details, _ = value.DocumentOK()
		}
	}
	return e
}

// CodeOf reads an error code. A number that does not fit must not be cut: without its upper bits it could be the code
// of another error, on which the driver would act.
func CodeOf(value bson.RawValue) errcode.Code {
	code, ok := value.AsInt64OK()
	if _, number := value.AsFloat64OK(); number && !ok {
		return math.MaxInt32
	}
	return errcode.Code(max(math.MinInt32, min(code, math.MaxInt32)))
}

func labelsOf(value bson.RawValue) []string {
	array, ok := value.ArrayOK()
	if !ok {
		return nil
	}
	var labels []string
	for _, item := range array.All() {
		if label, ok := item.StringOK(); ok {
			labels = append(labels, label)
		}
	}
	return labels
}

// LabelsOf reads the errorLabels of a reply.
func LabelsOf(reply bson.Raw) []string { return labelsOf(reply.Lookup(wire.FieldErrorLabels)) }
