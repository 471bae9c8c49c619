package extjson

import "github.com/specdrivers/onion/generated/core/form"

// wrapper names a type wrapper of Extended JSON, "Conversion table", by the key that tells it from a document.
type wrapper uint8

func wrapperOf(key []byte) wrapper {
	switch string(key) {
	case form.ObjectID:
		return wrapObjectID
	case form.Symbol:
		return wrapSymbol
	case form.Int32:
		return wrapInt32
	case form.Int64:
		return wrapInt64
	case form.Double:
		return wrapDouble
	case form.Decimal128:
		return wrapDecimal128
	case form.Binary:
		return wrapBinary
	case form.Code:
		return wrapCode
	case form.Scope:
		return wrapScope
	case form.Timestamp:
		return wrapTimestamp
	case form.Regex:
		return wrapRegex
	case form.DBPointer:
		return wrapDBPointer
	case form.DateTime:
		return wrapDate
	case form.MinKey:
		return wrapMinKey
	case form.MaxKey:
		return wrapMaxKey
	case form.Undefined:
		return wrapUndefined
	case form.UUID:
		return wrapUUID
	}
	return notWrapper
}

const (
	notWrapper wrapper = iota
	wrapObjectID
	wrapSymbol
	wrapInt32
	wrapInt64
	wrapDouble
	wrapDecimal128
	wrapBinary
	wrapCode
	wrapScope
	wrapTimestamp
	wrapRegex
	wrapDBPointer
	wrapDate
	wrapMinKey
	wrapMaxKey
	wrapUndefined
	wrapUUID
)
