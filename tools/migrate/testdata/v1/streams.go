package shop

import (
	"bytes"
	"io"
	"sync"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/bsoncodec"
	"go.mongodb.org/mongo-driver/bson/bsonrw"
)

var (
	extJSONWriters = bsonrw.NewExtJSONValueWriterPool()
	writers        = bsonrw.NewBSONValueWriterPool()
	buffers        = sync.Pool{New: func() any { return &bsonrw.SliceWriter{} }}
)

func statement(registry *bsoncodec.Registry, command bson.Raw) (text string) {
	sw := buffers.Get().(*bsonrw.SliceWriter)
	vw := extJSONWriters.Get(sw, false, false)
	ec := bsoncodec.EncodeContext{Registry: registry}
	if enc, err := bson.NewEncoderWithContext(ec, vw); err == nil {
		if err := enc.Encode(command); err == nil {
			text = string(*sw)
		}
	}
	*sw = (*sw)[:0]
	extJSONWriters.Put(vw)
	buffers.Put(sw)
	return text
}

func pooledDocument(v any) ([]byte, error) {
	var b bytes.Buffer
	vw := writers.Get(&b)
	defer writers.Put(vw)
	enc, err := bson.NewEncoder(vw)
	if err != nil {
		return nil, err
	}
	return b.Bytes(), enc.Encode(v)
}

func fromExtJSON(data []byte) (map[string]any, error) {
	vr, err := bsonrw.NewExtJSONValueReader(bytes.NewReader(data), true)
	if err != nil {
		return nil, err
	}
	dec, err := bson.NewDecoder(vr)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	return out, dec.Decode(&out)
}

func toExtJSON(w io.Writer, v any) error {
	vw, err := bsonrw.NewExtJSONValueWriter(w, true, true)
	if err != nil {
		return err
	}
	enc, err := bson.NewEncoder(vw)
	if err != nil {
		return err
	}
	return enc.Encode(v)
}

func truncated(data []byte, v any) error {
	dec, err := bson.NewDecoderWithContext(bsoncodec.DecodeContext{Registry: bson.DefaultRegistry, Truncate: true}, bsonrw.NewBSONDocumentReader(data))
	if err != nil {
		return err
	}
	return dec.Decode(v)
}
