package command

import (
	"encoding/binary"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

func appendArray(dst []byte, key string, values []any, env *Env) ([]byte, error) {
	dst, start := bson.AppendArrayElementStart(dst, key)
	for i, v := range values {
		var err error
		if dst, err = bson.AppendValueElement(dst, strconv.Itoa(i), v, env.Marshal); err != nil {
			return dst, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

func appendDocuments(dst []byte, key string, values []bson.Raw) []byte {
	dst, start := bson.AppendArrayElementStart(dst, key)
	for i, v := range values {
		dst = bson.AppendArrayIndexHeader(dst, bsontype.EmbeddedDocument, i)
		dst = append(dst, v...)
	}
	return bson.AppendDocumentEnd(dst, start)
}

func appendInt64s(dst []byte, key string, values []int64) []byte {
	dst, start := bson.AppendArrayElementStart(dst, key)
	for i, v := range values {
		dst = bson.AppendArrayIndexHeader(dst, bsontype.Int64, i)
		dst = binary.LittleEndian.AppendUint64(dst, uint64(v))
	}
	return bson.AppendDocumentEnd(dst, start)
}
