package mongotest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
)

// failPoint is one switched-on fail point.
type failPoint struct {
	name string

	times int     // how often it still acts; -1 for always
	skip  int     // how many matching commands pass before it acts
	odds  float64 // how likely it acts; 0 for always

	all               bool // acts on every command
	commands          []string
	appName           *string
	namespace         string
	closeConnection   bool
	errorCode         *int64
	errorInfo         bson.Raw // what stands beside the code in the reply
	block             bool
	blockFor          bson.RawValue
	labels            []string // nil means that the server adds its own
	writeConcernError bson.Raw
}

// failPoints are the fail points of one node.
type failPoints struct {
	mu      sync.Mutex
	active  map[string]*failPoint
	entered map[string]int64
}

func (p *failPoints) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.active, p.entered = nil, nil
}

// The fail points that act in other places than before a command are looked up by name there.
const (
	failCommand            = "failCommand"
	failGetMoreAfterCursor = "failGetMoreAfterCursorCheckout"
	onTransactionalWrite   = "onPrimaryTransactionalWrite"
)

// configureFailPoint switches a fail point of the node on or off, and answers how often it acted so far. The modes are off,
// alwaysOn, {times: n}, {skip: n} and {activationProbability: p}. Servers look at the data when the fail point acts, and
// disregard what they do not know, as this one does. Left out: fail points other than the three that tests of drivers use.
func configureFailPoint(r *request) (bson.Raw, error) {
	name := r.text("configureFailPoint")
	switch name {
	case failCommand, failGetMoreAfterCursor, onTransactionalWrite:
	default:
		return nil, status.Errorf(errcode.FailPointSetFailed, "%s not found", name)
	}
	p := &failPoint{name: name}
	on, err := p.parseMode(r.body.Lookup("mode"))
	if err != nil {
		return nil, err
	}
	data := r.body.Lookup("data")
	doc, ok := data.DocumentOK()
	if !ok && !data.IsZero() {
		return nil, status.Errorf(errcode.TypeMismatch, "the 'data' option must be a JSON object")
	}
	p.parseData(doc)
	points := &r.node.failPoints
	points.mu.Lock()
	defer points.mu.Unlock()
	if points.active == nil {
		points.active, points.entered = map[string]*failPoint{}, map[string]int64{}
	}
	delete(points.active, name)
	if on {
		points.active[name] = p
	}
	return newReply().int64("count", points.entered[name]).done(), nil
}

func (p *failPoint) parseMode(mode bson.RawValue) (on bool, err error) {
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

func (p *failPoint) parseModeDocument(mode bson.Raw) (on bool, err error) {
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
		return false, status.Errorf(errcode.BadValue, "'mode' must be one of 'off', 'alwaysOn', '{times:n}', '{skip:n}' or '{activationProbability:p}'")
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
		return 0, status.Errorf(errcode.BadValue, "Expected field \"%s\" to have a value exactly representable as a 64-bit integer, but found %s: %s", name, name, status.TextOf(value))
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

// parseData keeps what the data says in the types that count.
func (p *failPoint) parseData(data bson.Raw) {
	p.commands = textsOf(data.Lookup("failCommands"))
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
		p.labels = append([]string{}, textsOf(labels)...)
	}
	p.writeConcernError, _ = data.Lookup("writeConcernError").DocumentOK()
	switch {
	case p.name == onTransactionalWrite && data.Lookup("closeConnection").IsZero():
		p.closeConnection = true
	case p.name == failGetMoreAfterCursor && p.errorCode == nil:
		p.errorCode = new(int64(errcode.InternalError))
	}
}

// take returns the fail point if it acts on a command that matches, and counts it.
func (p *failPoints) take(name string, matches func(*failPoint) bool) *failPoint {
	p.mu.Lock()
	defer p.mu.Unlock()
	point := p.active[name]
	if point == nil || !matches(point) {
		return nil
	}
	if point.skip > 0 {
		point.skip--
		return nil
	}
	if point.odds > 0 && rand.Float64() >= point.odds {
		return nil
	}
	if point.times > 0 {
		point.times--
		if point.times == 0 {
			delete(p.active, name)
		}
	}
	p.entered[name]++
	return point
}

// apply lets failCommand act on a command before it runs: it may block it, drop the connection, or answer with an error.
func (p *failPoints) apply(r *request) error {
	point := p.take(failCommand, func(f *failPoint) bool {
		return (f.block || f.closeConnection || f.errorCode != nil) && f.matches(r)
	})
	if point == nil {
		return nil
	}
	return point.act(r)
}

// applyAfter gives the fail point that adds a write concern error to the reply of a command that ran, or nil.
func (p *failPoints) applyAfter(r *request) *failPoint {
	return p.take(failCommand, func(f *failPoint) bool { return f.writeConcernError != nil && f.matches(r) })
}

func (f *failPoint) matches(r *request) bool {
	if f.appName != nil {
		// From 4.4.7 on the application is known to the fail point when the hello that names it arrives.
		if r.d.wireAtLeast("4.4") {
			r.noteApplication()
		}
		if *f.appName != r.conn.application() {
			return false
		}
	}
	if f.namespace != "" && f.namespace != r.db+"."+r.text(r.name) {
		return false
	}
	return f.all || slices.ContainsFunc(f.commands, func(name string) bool { return sameCommand(name, r.name) })
}

// sameCommand reports whether two names are of one command. Names differ in case alone, but for one; hello is a command
// apart from isMaster.
func sameCommand(a, b string) bool {
	return strings.EqualFold(a, b) || a == "dropIndexes" && b == "deleteIndexes" || a == "deleteIndexes" && b == "dropIndexes"
}

// act blocks, drops or fails, in this order.
func (f *failPoint) act(r *request) error {
	if f.block {
		ms, ok := f.blockFor.AsInt64OK()
		if !ok {
			return status.Errorf(errcode.InvalidOptions, "must specify 'blockTimeMS' when 'blockConnection' is true")
		}
		if ms < 0 {
			return status.Errorf(errcode.InvalidOptions, "'blockTimeMS' must be non-negative")
		}
		if err := r.conn.sleep(time.Duration(ms) * time.Millisecond); err != nil {
			return err
		}
	}
	if f.closeConnection {
		return errDrop
	}
	if f.errorCode != nil {
		message := "Failing command via '%s' failpoint"
		if f.name == failGetMoreAfterCursor {
			message = "Hit the '%s' failpoint"
		}
		e := status.Errorf(errcode.Code(*f.errorCode), message, f.name)
		e.Labels, e.Info = f.labels, f.errorInfo
		return e
	}
	return nil
}
