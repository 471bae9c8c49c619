package extjson

// wrapper names a type wrapper of Extended JSON, "Conversion table", by the key that tells it from a document.
type wrapper uint8

func wrapperOf(key []byte) wrapper {
	switch string(key) {
	case "$oid":
		return wrapObjectID
	case "$symbol":
		return wrapSymbol
	case "$numberInt":
		return wrapInt32
	case "$numberLong":
		return wrapInt64
	case "$numberDouble":
		return wrapDouble
	case "$numberDecimal":
		return wrapDecimal128
	case "$binary":
		return wrapBinary
	case "$code":
		return wrapCode
	case "$scope":
		return wrapScope
	case "$timestamp":
		return wrapTimestamp
	case "$regularExpression":
		return wrapRegex
	case "$dbPointer":
		return wrapDBPointer
	case "$date":
		return wrapDate
	case "$minKey":
		return wrapMinKey
	case "$maxKey":
		return wrapMaxKey
	case "$undefined":
		return wrapUndefined
	case "$uuid":
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
