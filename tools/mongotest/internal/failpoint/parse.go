package failpoint

import (
	"math"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// parseMode reads how often the fail point acts. on is false when the mode is off.
func (p *Point) parseMode(mode bson.RawValue) (on bool, err error) {
	switch mode.Type {
	case 0:
		return false, status.Errorf(errcode.IllegalOperation, "When setting a failpoint, you must supply a 'mode'")
	case bsontype.String:
		text, _ := mode.StringOK()
		p.times = -1
		if text != "off" && text != "alwaysOn" {
			return false, status.Errorf(errcode.BadValue, "unknown mode: %s", text)
		}
		return text == "alwaysOn", nil
	case bsontype.EmbeddedDocument:
		return p.parseModeDocument(bson.Raw(mode.Value))
	}
	return false, status.Errorf(errcode.TypeMismatch, "'mode' must be a string or JSON object")
}

func (p *Point) parseModeDocument(mode bson.Raw) (on bool, err error) {
	p.times = -1
	if value := mode.Lookup("times"); !value.IsZero() {
		p.times, err = modeNumber("times", value)
		return p.times > 0, err
	}
	if value := mode.Lookup("skip"); !value.IsZero() {
		p.skip, err = modeNumber("skip", value)
		return true, err
	}
	value := mode.Lookup("activationProbability")
	if value.IsZero() {
		return false, status.Errorf(errcode.BadValue,
			"'mode' must be one of 'off', 'alwaysOn', '{times:n}', '{skip:n}' or '{activationProbability:p}'")
	}
	odds, ok := value.AsFloat64OK()
	if !ok {
		return false, status.Errorf(errcode.TypeMismatch, "the 'activationProbability' option to 'mode' must be a double between 0 and 1")
	}
	if odds < 0 || odds > 1 {
		return false, status.Errorf(errcode.BadValue, "activationProbability must be between 0.0 and 1.0; found %v", odds)
	}
	p.odds = odds
	return odds > 0, nil
}

func modeNumber(name string, value bson.RawValue) (int, error) {
	n, ok := value.AsInt64OK()
	switch {
	case !ok && !isNumber(value):
		return 0, status.Errorf(errcode.TypeMismatch, "\"%s\" had the wrong type. Expected number, found %s", name, value.Type)
	case !ok:
		return 0, status.Errorf(errcode.BadValue,
			"Expected field \"%s\" to have a value exactly representable as a 64-bit integer, but "+
				"found %s: %s", name, name, status.TextOf(value))
	case n < 0:
		return 0, status.Errorf(errcode.BadValue, "'%s' option to 'mode' must be positive", name)
	case n > math.MaxInt32:
		return 0, status.Errorf(errcode.BadValue, "'%s' option to 'mode' is too large", name)
	}
	return int(n), nil
}

func isNumber(value bson.RawValue) bool {
	switch value.Type {
	case bsontype.Int32, bsontype.Int64, bsontype.Double, bsontype.Decimal128:
		return true
	}
	return false
}

// parseData reads the data. Like a server it ignores fields that it does not know and fields of the wrong type.
func (p *Point) parseData(data bson.Raw) {
	p.commands = call.Texts(data.Lookup("failCommands"))
	p.all, _ = data.Lookup("failAllCommands").BooleanOK()
	if name, ok := data.Lookup("appName").StringOK(); ok {
		p.appName = &name
	}
	p.namespace, _ = data.Lookup("namespace").StringOK()
	p.closeConnection, _ = data.Lookup("closeConnection").BooleanOK()
	for _, field := range [...]string{"errorCode", "failBeforeCommitExceptionCode"} {
		if n, ok := data.Lookup(field).AsInt64OK(); ok {
			p.errorCode = &n
		}
	}
	p.errorInfo, _ = data.Lookup("errorExtraInfo").DocumentOK()
	p.block, _ = data.Lookup("blockConnection").BooleanOK()
	p.blockFor = data.Lookup("blockTimeMS")
	if labels := data.Lookup("errorLabels"); labels.Type == bsontype.Array {
		p.labels = append([]string{}, call.Texts(labels)...)
	}
	p.writeConcernError, _ = data.Lookup("writeConcernError").DocumentOK()
	switch {
	case p.name == onTransactionalWrite && data.Lookup("closeConnection").IsZero():
		p.closeConnection = true
	case p.name == getMore && p.errorCode == nil:
		p.errorCode = new(int64(errcode.InternalError))
	}
}
