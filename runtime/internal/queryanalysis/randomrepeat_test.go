package queryanalysis

import "github.com/specdrivers/onion/bson"

// repeating puts another argument in front of one with the same name, here and there. A server may take either.
func (w *world) repeating(v any) any {
	switch v := v.(type) {
	case bson.D:
		out := bson.D{}
		for _, e := range v {
			decoy := map[string]any{
				"from": "p", "coll": "p", "find": "p", "aggregate": "p", "viewOn": "p", "ns": "db.p", "as": "q", "partialFilterExpression": bson.D{},
				"filter": bson.D{}, "query": bson.D{}, "q": bson.D{}, "validator": bson.D{}, "input": "$q", "vars": bson.D{}, "$lookup": bson.D{},
			}[e.Key]
			if decoy != nil && w.chance(60) {
				out = append(out, bson.E{Key: e.Key, Value: decoy})
			}
			out = append(out, bson.E{Key: e.Key, Value: w.repeating(e.Value)})
		}
		return out
	case bson.A:
		out := bson.A{}
		for _, e := range v {
			out = append(out, w.repeating(e))
		}
		return out
	}
	return v
}
