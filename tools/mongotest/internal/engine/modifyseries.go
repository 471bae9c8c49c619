package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var modifySeriesFields = []field{
	{"granularity", 0, text}, {"bucketRoundingSeconds", wire.Server63, integer | positive},
	{"bucketMaxSpanSeconds", wire.Server63, integer | positive},
}

// modifySeries makes the buckets of a time-series collection span more time. It returns the new value of the collection's
// option timeseries.
func modifySeries(r *Request, c *store.Collection, spec bson.Raw) (bson.Raw, error) {
	in, err := r.parseStatement("collMod.timeseries", spec, modifySeriesFields)
	if err != nil {
		return nil, err
	}
	if err := checkChoice("collMod.timeseries", in, "granularity", "seconds", "minutes", "hours"); err != nil {
		return nil, err
	}
	was, _ := c.Options.Document.Lookup("timeseries").DocumentOK()
	span, _ := number.ExactInt64(was.Lookup("bucketMaxSpanSeconds"))
	granularity := in.text("granularity")
	switch to := in.int("bucketMaxSpanSeconds"); {
	case granularity != "" && (in.has("bucketMaxSpanSeconds") || in.has("bucketRoundingSeconds")),
		to != in.int("bucketRoundingSeconds"):
		return nil, status.Errorf(errcode.InvalidOptions,
			"Timeseries 'bucketMaxSpanSeconds' and 'bucketRoundingSeconds' must be set together and have the same value")
	case granularity != "" && int64(spans[granularity]) < span:
		return nil, status.Errorf(errcode.InvalidOptions, "Invalid transition for timeseries.granularity. Can only transition "+
			"from 'seconds' to 'minutes' or 'minutes' to 'hours'.")
	case granularity != "":
		return setField(dropField(setField(was, "granularity", value.String(granularity)), "bucketRoundingSeconds"),
			"bucketMaxSpanSeconds", value.Integer(int64(spans[granularity]))), nil
	case to == 0:
		return was, nil
	case to < span:
		return nil, status.Errorf(errcode.InvalidOptions, "Invalid transition for timeseries.bucketMaxSpanSeconds and "+
			"timeseries.bucketRoundingSeconds. Both values must be no less than before.")
	default:
		return setField(setField(dropField(was, "granularity"), "bucketRoundingSeconds", value.Integer(to)),
			"bucketMaxSpanSeconds", value.Integer(to)), nil
	}
}
