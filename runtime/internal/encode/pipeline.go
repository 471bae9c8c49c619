package encode

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/runtime/fault"
)

// checkStageOrder refuses a $sort stage that is a map with several keys, if the type of the pipeline lets it find the
// stage.
func checkStageOrder(pipeline any) error {
	stage := func(key string, v any) error {
		if key != "$sort" {
			return nil
		}
		return RefuseUnordered("$sort stage", v)
	}
	document := func(doc any) error {
		switch doc := doc.(type) {
		case bson.D:
			if len(doc) > 0 {
				return stage(doc[0].Key, doc[0].Value)
			}
		case bson.M:
			return stage("$sort", doc["$sort"])
		}
		return nil
	}
	switch list := pipeline.(type) {
	case []bson.D:
		return checkEach(list, document)
	case []bson.M:
		return checkEach(list, document)
	case bson.A:
		return checkEach(list, document)
	case []any:
		return checkEach(list, document)
	}
	return nil
}

// Pipeline encodes the stages of an aggregation.
func Pipeline(m *bson.MarshalOptions, v any) (bson.RawArray, error) {
	if v == nil {
		return nil, fault.Misuse(fault.ErrNilValue, "the pipeline is nil: pass bson.A{} for one without stages")
	}
	if err := checkStageOrder(v); err != nil {
		return nil, err
	}
	t, data, err := bson.AppendValue(nil, v, m)
	if err != nil {
		return nil, At(err, "the pipeline")
	}
	if t != bsontype.Array {
		return nil, fault.Misuse(fault.ErrNotSlice, "the pipeline is of type %s: pass a slice of stages, such as mongo.Pipeline{stage}", t)
	}
	return bson.RawArray(data), nil
}
