package engine

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var timeSeriesFields = []field{
	{"timeField", 0, text | required}, {"metaField", 0, text}, {"granularity", 0, text},
	{"bucketRoundingSeconds", wire.Server63, integer | positive}, {"bucketMaxSpanSeconds", 0, integer | positive},
}

// spans are the longest time spans of a bucket in seconds, by granularity.
var spans = map[string]int32{"seconds": 3600, "minutes": 86400, "hours": 2592000}

// readTimeSeries checks the time-series options of a create.
func (d *definition) readTimeSeries() error {
	spec := d.a.document("timeseries")
	if spec == nil {
		return nil
	}
	in, err := d.r.parseStatement("create.timeseries", spec, timeSeriesFields)
	if err != nil {
		return err
	}
	for i, f := range d.a.fields {
		switch f.name {
		case "timeseries", "expireAfterSeconds", "collation", "storageEngine", "indexOptionDefaults", "temp":
			continue
		}
		if v := d.a.values[i]; !v.IsZero() && (f.name != "capped" || d.options.Capped) {
			return status.Errorf(errcode.InvalidOptions, "'timeseries' is not allowed with '%s'", f.name)
		}
	}
	if err := checkChoice("create.timeseries", in, "granularity", "seconds", "minutes", "hours"); err != nil {
		return err
	}
	time, meta := in.text("timeField"), in.text("metaField")
	switch {
	case strings.Contains(time, "."):
		return status.Errorf(errcode.InvalidOptions, "'timeField' must be a top-level field and not contain a '.'")
	case meta == "_id":
		return status.Errorf(errcode.InvalidOptions, "'metaField' cannot be \"_id\"")
	case meta == time:
		return status.Errorf(errcode.InvalidOptions, "'metaField' cannot be the same as 'timeField'")
	case strings.Contains(meta, "."):
		return status.Errorf(errcode.InvalidOptions, "'metaField' must be a top-level field and not contain a '.'")
	}
	if in.has("bucketRoundingSeconds") && in.int("bucketRoundingSeconds") != in.int("bucketMaxSpanSeconds") {
		return status.Errorf(errcode.InvalidOptions, "Timeseries 'bucketRoundingSeconds' and 'bucketMaxSpanSeconds' must be set together "+
			"and have the same value")
	}
	span := spans["seconds"]
	if in.has("granularity") {
		span = spans[in.text("granularity")]
	}
	if in.has("bucketMaxSpanSeconds") && !in.has("bucketRoundingSeconds") && in.int("bucketMaxSpanSeconds") != int64(span) {
		if d.r.WireVersion < wire.Server63 {
			return status.Errorf(5510500, "Invalid option: timeseries.bucketMaxSpanSeconds is not configurable to a value other than the "+
				"default of %d for the provided granularity", span)
		}
		return status.Errorf(errcode.InvalidOptions, "Timeseries 'bucketRoundingSeconds' and 'bucketMaxSpanSeconds' must be set together "+
			"and have the same value")
	}
	d.shown["timeseries"] = value.Document(shownTimeSeries(in))
	// Measurements may share an _id, so the index that finds them by _id is neither unique nor shown.
	d.index.Name = ""
	d.options.Silent = true
	return nil
}

func shownTimeSeries(in *args) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendStringElement(dst, "timeField", in.text("timeField"))
	if in.has("metaField") {
		dst = bson.AppendStringElement(dst, "metaField", in.text("metaField"))
	}
	granularity := in.text("granularity")
	if granularity == "" && !in.has("bucketMaxSpanSeconds") {
		granularity = "seconds"
	}
	span := spans[granularity]
	if in.has("bucketMaxSpanSeconds") {
		span = int32(in.int("bucketMaxSpanSeconds"))
	}
	if granularity != "" {
		dst = bson.AppendStringElement(dst, "granularity", granularity)
	}
	if in.has("bucketRoundingSeconds") {
		dst = bson.AppendInt32Element(dst, "bucketRoundingSeconds", int32(in.int("bucketRoundingSeconds")))
	}
	dst = bson.AppendInt32Element(dst, "bucketMaxSpanSeconds", span)
	return bson.AppendDocumentEnd(dst, start)
}

// indexSeries makes the index on the metadata and the time that servers give a time series since 6.3.
func (d *definition) indexSeries(tx *store.Txn) error {
	series, _ := documentOrEmpty(d.options.Document).Lookup("timeseries").DocumentOK()
	meta := value.Text(documentOrEmpty(series).Lookup("metaField"))
	if meta == "" || d.r.WireVersion < wire.Server63 {
		return nil
	}
	time := value.Text(series.Lookup("timeField"))
	key, start := bson.AppendDocumentStart(nil)
	key = bson.AppendInt32Element(key, meta, 1)
	key = bson.AppendDocumentEnd(bson.AppendInt32Element(key, time, 1), start)
	spec, start := bson.AppendDocumentStart(nil)
	spec = bson.AppendDocumentElement(spec, "key", key)
	spec = bson.AppendStringElement(spec, "name", meta+"_1_"+time+"_1")
	return addIndex(tx, d.r, d.name, bson.AppendDocumentEnd(spec, start))
}

func isTimeSeries(c *store.Collection) bool {
	return c != nil && c.Options.Document != nil &&
		!strings.HasPrefix(c.Name, store.BucketsPrefix) && !c.Options.Document.Lookup("timeseries").IsZero()
}

// checkMeasurement refuses a document without the time that a time-series collection requires.
func checkMeasurement(c *store.Collection, doc bson.Raw) error {
	if !isTimeSeries(c) {
		return nil
	}
	name, _ := c.Options.Document.Lookup("timeseries", "timeField").StringOK()
	if path.Field(doc, name).Type == bsontype.DateTime {
		return nil
	}
	return status.Errorf(errcode.BadValue, "'%s' must be present and contain a valid BSON UTC datetime value", name)
}
