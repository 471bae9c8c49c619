// The command configureFailPoint: fail points that tests of drivers use.
//
// Left out: all others.

package mongotest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
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
		if err := r.sleep(time.Duration(ms) * time.Millisecond); err != nil {
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
