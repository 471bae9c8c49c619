//lint:file-ignore SA1019 deprecated options are still sent

package concern

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
)

// AppendRead appends a read concern. A nil concern, or one without a level, appends nothing unless a time is
// given. after is the time for causal consistency, at is the time of a snapshot, and a zero time means none.
func AppendRead(dst []byte, key string, rc *options.ReadConcern, after, at bson.Timestamp) []byte {
	level := ""
	if rc != nil {
		level = rc.Level
	}
	if level == "" && after == (bson.Timestamp{}) && at == (bson.Timestamp{}) {
		return dst
	}
	dst, start := bson.AppendDocumentElementStart(dst, key)
	if level != "" {
		dst = bson.AppendStringElement(dst, "level", level)
	}
	if after != (bson.Timestamp{}) {
		dst = bson.AppendTimestampElement(dst, "afterClusterTime", after.T, after.I)
	}
	if at != (bson.Timestamp{}) {
		dst = bson.AppendTimestampElement(dst, wire.FieldAtClusterTime, at.T, at.I)
	}
	return bson.AppendDocumentEnd(dst, start)
}

// AppendWrite appends a write concern; a nil or empty one appends nothing. When timeout is set, a timeout bounds
// the operation, and wtimeout is left out.
func AppendWrite(dst []byte, key string, wc *options.WriteConcern, timeout bool) ([]byte, error) {
	if IsDefault(wc) {
		return dst, nil
	}
	if err := ValidateWrite(wc); err != nil {
		return dst, err
	}
	if timeout && wc.W == nil && wc.Journal == nil {
		return dst, nil
	}
	dst, start := bson.AppendDocumentElementStart(dst, key)
	switch w := wc.W.(type) {
	case int:
		dst = bson.AppendInt32Element(dst, "w", int32(w))
	case string:
		dst = bson.AppendStringElement(dst, "w", w)
	}
	if wc.Journal != nil {
		dst = bson.AppendBooleanElement(dst, "j", *wc.Journal)
	}
	if wc.WTimeout != nil && !timeout {
		var err error
		if dst, err = emitted.AppendMillis(dst, "wtimeout", *wc.WTimeout); err != nil {
			return dst, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// IsDefault reports whether a write concern leaves everything to the server.
func IsDefault(wc *options.WriteConcern) bool {
	return wc == nil || *wc == (options.WriteConcern{})
}

// IsAcknowledged reports whether the server answers a write with this concern.
func IsAcknowledged(wc *options.WriteConcern) bool {
	return wc == nil || wc.W != 0 || wc.Journal != nil && *wc.Journal
}

// ValidateWrite checks the fields of a write concern.
func ValidateWrite(wc *options.WriteConcern) error {
	if wc == nil {
		return nil
	}
	switch w := wc.W.(type) {
	case nil, string:
	case int:
		if w < 0 || w > math.MaxInt32 {
			return fmt.Errorf("write concern: w is %d", w)
		}
		if w == 0 && wc.Journal != nil && *wc.Journal {
			return errors.New("write concern: w=0 cannot be used with journal")
		}
	default:
		return fmt.Errorf("write concern: w is a %T, not an int or a string", w)
	}
	if wc.WTimeout != nil && *wc.WTimeout < 0 {
		return fmt.Errorf("write concern: wtimeout is %v", *wc.WTimeout)
	}
	return nil
}

// AppendPreference appends a read preference in the form that mongos accepts.
func AppendPreference(dst []byte, key string, rp *options.ReadPreference) []byte {
	mode := options.Primary
	if rp != nil && rp.Mode != 0 {
		mode = rp.Mode
	}
	dst, start := bson.AppendDocumentElementStart(dst, key)
	dst = bson.AppendStringElement(dst, "mode", mode.String())
	if rp == nil {
		return bson.AppendDocumentEnd(dst, start)
	}
	if len(rp.TagSets) > 0 {
		dst = appendTagSets(dst, rp.TagSets)
	}
	if rp.MaxStaleness != nil && *rp.MaxStaleness > 0 { // servers refuse a negative one, which means no limit here
		dst = bson.AppendInt32Element(dst, wire.FieldMaxStalenessSeconds, int32(*rp.MaxStaleness/time.Second))
	}
	if rp.Hedge != nil && rp.Hedge.Enabled != nil {
		var hedge int
		dst, hedge = bson.AppendDocumentElementStart(dst, "hedge")
		dst = bson.AppendBooleanElement(dst, "enabled", *rp.Hedge.Enabled)
		dst = bson.AppendDocumentEnd(dst, hedge)
	}
	return bson.AppendDocumentEnd(dst, start)
}

func appendTagSets(dst []byte, sets []options.TagSet) []byte {
	dst, tags := bson.AppendArrayElementStart(dst, "tags")
	for i, set := range sets {
		var start int
		dst = bson.AppendArrayIndexHeader(dst, bsontype.EmbeddedDocument, i)
		dst, start = bson.AppendDocumentStart(dst)
		for _, t := range set {
			dst = bson.AppendStringElement(dst, t.Name, t.Value)
		}
		dst = bson.AppendDocumentEnd(dst, start)
	}
	return bson.AppendDocumentEnd(dst, tags)
}
