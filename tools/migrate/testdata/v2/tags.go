package shop

import (
	"bytes"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/tag"
)

func nearestTagged() *readpref.ReadPref {
	sets := tag.NewTagSetsFromMaps([]map[string]string{{"region": "South", "datacenter": "A"}, {}})
	return readpref.Nearest(readpref.WithTagSets(sets...))
}

func secondaryTagged() *readpref.ReadPref {
	return readpref.Secondary(readpref.WithTagSets(tag.Set{{Name: "use", Value: "reports"}}, tag.NewTagSetFromMap(map[string]string{"a": "b"})))
}

func encodedWith(reg *bson.Registry, v any) ([]byte, error) {
	buf := new(bytes.Buffer)
	enc := bson.NewEncoder(bson.NewDocumentWriter(buf))
	enc.SetRegistry(reg)
	enc.NilSliceAsEmpty()
	err := enc.Encode(v)
	return buf.Bytes(), err
}

func decodedWith(reg *bson.Registry, data []byte, v any) error {
	dec := bson.NewDecoder(bson.NewDocumentReader(bytes.NewReader(data)))
	dec.SetRegistry(reg)
	return dec.Decode(v)
}
