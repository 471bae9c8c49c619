package shop

import (
	"io"

	"go.mongodb.org/mongo-driver/v2/bson"
)

func lines(r io.Reader, w io.Writer) error {
	vr, err := bson.NewExtJSONValueReader(r, false)
	if err != nil {
		return err
	}
	dec, enc := bson.NewDecoder(vr), bson.NewEncoder(bson.NewExtJSONValueWriter(w, false, false))
	enc.IntMinSize()
	for {
		var doc bson.D
		if err := dec.Decode(&doc); err != nil {
			return err
		}
		if err := enc.Encode(doc); err != nil {
			return err
		}
	}
}
