// The commands configureQueryAnalyzer and analyzeShardKey. The first stores the rate at which a collection's queries should be
// sampled. Nothing is sampled, so the second reports no reads and writes. What it says about a shard key is counted over
// all documents: the options sampleRate and sampleSize only limit their number.

package server

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// findAnalyzed finds the collection that the command names.
func (r *request) findAnalyzed() (*store.Collection, error) {
	namespace, ok := r.Value().StringOK()
	db, name, dotted := strings.Cut(namespace, ".")
	switch {
	case !ok:
		return nil, status.WrongType(r.Name+"."+r.Name, r.Value(), "string")
	case !dotted || db == "" || name == "":
		return nil, status.Errorf(errcode.InvalidNamespace, "Invalid namespace specified '%s'", namespace)
	case r.cluster.Shape == Standalone:
		return nil, status.Errorf(errcode.IllegalOperation, "%s command is not supported on a standalone mongod", r.Name)
	case db == "admin" || db == "config" || db == "local":
		return nil, status.Errorf(errcode.IllegalOperation, "Cannot analyze an internal collection: %s", namespace)
	}
	c := r.cluster.store.Latest().Collection(db, name)
	if c == nil {
		return nil, status.Errorf(errcode.NamespaceNotFound, "Cannot run %s on a collection that does not exist: %s", r.Name, namespace)
	}
	return c, nil
}

func configureQueryAnalyzer(_ context.Context, r *request) (bson.Raw, error) {
	c, err := r.findAnalyzed()
	if err != nil {
		return nil, err
	}
	mode := r.Text("mode")
	rate, isNumber := r.Field("samplesPerSecond").AsFloat64OK()
	switch {
	case mode != "full" && mode != "off":
		return nil, status.Errorf(errcode.BadValue,
			"Enumeration value '%s' for field 'configureQueryAnalyzer.mode' is not a valid value.", mode)
	case mode == "off" && r.Has("samplesPerSecond"):
		return nil, status.Errorf(errcode.InvalidOptions, "Cannot specify 'samplesPerSecond' when 'mode' is \"off\"")
	case mode == "full" && !isNumber:
		return nil, status.Errorf(errcode.InvalidOptions, "'samplesPerSecond' must be specified when 'mode' is \"full\"")
	case mode == "full" && (rate <= 0 || rate > 50):
		return nil, status.Errorf(errcode.InvalidOptions, "'samplesPerSecond' must be greater than 0 and at most 50")
	}
	now := bson.Doc("mode", mode)
	if mode == "full" {
		now = append(now, bson.E{Key: "samplesPerSecond", Value: rate})
	}
	f := reply.New()
	if before, had := r.cluster.analyzers.Swap(c.UUID, now); had {
		f.Value("oldConfiguration", before)
	}
	return f.Value("newConfiguration", now).Done(), nil
}

func analyzeShardKey(_ context.Context, r *request) (bson.Raw, error) {
	c, err := r.findAnalyzed()
	if err != nil {
		return nil, err
	}
	key, _ := r.Field("key").DocumentOK()
	wants := func(name string) bool { return !r.Has(name) || r.Flag(name) }
	switch {
	case key.Len() == 0:
		return nil, status.Errorf(errcode.BadValue, "Shard key is empty")
	case r.Has("sampleRate") && r.Has("sampleSize"):
		return nil, status.Errorf(errcode.InvalidOptions, "Cannot specify both 'sampleRate' and 'sampleSize'")
	case !wants("keyCharacteristics") && !wants("readWriteDistribution"):
		return nil, status.Errorf(errcode.InvalidOptions, "'keyCharacteristics' and 'readWriteDistribution' cannot both be false")
	case c.Len() == 0 && wants("keyCharacteristics"):
		return nil, status.Errorf(errcode.IllegalOperation, "Cannot analyze the characteristics of a shard key for an empty collection")
	}
	f := reply.New()
	index := slices.IndexFunc(c.Indexes(), func(x *store.Index) bool { return x.Filter == nil && startsWith(x.KeyPattern(), key) })
	switch {
	case !wants("keyCharacteristics"):
	case index >= 0:
		f.Value("keyCharacteristics", r.characteristics(c, key, c.Indexes()[index]))
	case !wants("readWriteDistribution"):
		return nil, status.Errorf(errcode.IllegalOperation,
			"Cannot analyze the characteristics of a shard key that does not have a supporting index")
	}
	if wants("readWriteDistribution") {
		f.Value("readDistribution", counts("find", "aggregate", "count", "distinct"))
		f.Value("writeDistribution", counts("update", "delete", "findAndModify"))
	}
	return f.Done(), nil
}

// counts returns the numbers of sampled commands. There are none.
func counts(commands ...string) bson.D {
	d := bson.Doc("total", int64(0))
	for _, name := range commands {
		d = append(d, bson.E{Key: name, Value: int64(0)})
	}
	return bson.Doc("sampleSize", d)
}

// characteristics returns what the documents say about a shard key.
func (r *request) characteristics(c *store.Collection, key bson.Raw, index *store.Index) bson.D {
	keys := r.keysOf(c, key)
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compare.Documents(keys[a], keys[b], nil) })
	type value struct {
		key       bson.Raw
		frequency int64
	}
	var values []value
	for _, i := range order {
		if n := len(values); n > 0 && compare.Documents(values[n-1].key, keys[i], nil) == 0 {
			values[n-1].frequency++
			continue
		}
		values = append(values, value{keys[i], 1})
	}
	distinct := int64(len(values))
	slices.SortStableFunc(values, func(a, b value) int { return cmp.Compare(b.frequency, a.frequency) })
	common := bson.A{}
	for _, v := range values[:min(5, len(values))] {
		common = append(common, bson.Doc("value", v.key, "frequency", v.frequency))
	}
	return bson.Doc("numDocsTotal", int64(c.Len()), "avgDocSizeBytes", c.Size()/int64(c.Len()), "numDocsSampled", int64(len(keys)),
		"isUnique", index.Unique && index.KeyPattern().Len() == key.Len() || index.Name == "_id_", "numDistinctValues", distinct,
		"mostCommonValues", common, "monotonicity", monotonicity(order, distinct))
}

// keysOf returns the shard keys of the documents that are sampled, in the order of the record ids.
func (r *request) keysOf(c *store.Collection, key bson.Raw) (keys []bson.Raw) {
	limit := c.Len()
	if n, ok := r.Field("sampleSize").AsInt64OK(); ok && n > 0 {
		limit = int(min(n, int64(limit)))
	}
	if rate, ok := r.Field("sampleRate").AsFloat64OK(); ok && rate > 0 && rate <= 1 {
		limit = int(math.Ceil(rate * float64(limit)))
	}
	s := &shardedCollection{key: key}
	for scan := c.Scan(0); len(keys) < limit; {
		record := scan.Next()
		if record == nil {
			break
		}
		keys = append(keys, s.keyOf(record.Doc))
	}
	return keys
}

// monotonicity compares the order of the keys with the order of the record ids: order[i] is the record with the i-th
// key.
func monotonicity(order []int, distinct int64) bson.D {
	if distinct < 2 {
		return bson.Doc("type", "unknown")
	}
	mean, over, below := float64(len(order)-1)/2, 0.0, 0.0
	for i, at := range order {
		over += (float64(i) - mean) * (float64(at) - mean)
		below += (float64(i) - mean) * (float64(i) - mean)
	}
	correlation, kind := over/below, "not monotonic"
	if math.Abs(correlation) >= 0.7 {
		kind = "monotonic"
	}
	return bson.Doc("recordIdCorrelationCoefficient", correlation, "type", kind)
}
