package mongotest

import (
	"slices"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
)

// failPoint is one switched-on fail point.
type failPoint struct {
	name string

	times int // how often it still acts; -1 for always
	skip  int // how many matching commands pass before it acts

	commands          []string
	appName           string
	closeConnection   bool
	errorCode         *int32
	block             time.Duration
	labels            []string // nil means that the server adds its own
	writeConcernError bson.Raw
	namespace         string
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
	clear(p.active)
}

// The fail points that act in other places than before a command are looked up by name there.
const (
	failCommand            = "failCommand"
	failGetMoreAfterCursor = "failGetMoreAfterCursorCheckout"
	onTransactionalWrite   = "onPrimaryTransactionalWrite"
)

// configureFailPoint switches a fail point of the node on or off. The modes are off, alwaysOn, {times: n} and
// {skip: n}. Left out: activationProbability, and fail points other than the three that tests of drivers use.
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
	if data, ok := r.body.Lookup("data").DocumentOK(); ok {
		if err := p.parseData(data); err != nil {
			return nil, err
		}
	}
	points := &r.node.failPoints
	points.mu.Lock()
	defer points.mu.Unlock()
	count := points.entered[name]
	if points.active == nil {
		points.active, points.entered = map[string]*failPoint{}, map[string]int64{}
	}
	delete(points.active, name)
	if on {
		points.active[name] = p
	}
	return newReply().int64("count", count).done(), nil
}

func (p *failPoint) parseMode(mode bson.RawValue) (on bool, err error) {
	if text, ok := mode.StringOK(); ok {
		switch text {
		case "off":
			return false, nil
		case "alwaysOn":
			p.times = -1
			return true, nil
		}
		return false, status.Errorf(errcode.BadValue, "unknown fail point mode: %s", text)
	}
	doc, ok := mode.DocumentOK()
	if !ok {
		return false, status.Errorf(errcode.TypeMismatch, "'mode' field must be a string or an object")
	}
	if n, ok := doc.Lookup("times").AsInt64OK(); ok && n >= 0 {
		p.times = int(n)
		return n > 0, nil
	}
	if n, ok := doc.Lookup("skip").AsInt64OK(); ok && n >= 0 {
		p.times, p.skip = -1, int(n)
		return true, nil
	}
	return false, status.Errorf(errcode.BadValue, "'mode' must have a 'times' or a 'skip' that is not negative")
}

func (p *failPoint) parseData(data bson.Raw) error {
	for key, value := range data.All() {
		switch key {
		case "failCommands":
			array, _ := value.ArrayOK()
			for _, item := range array.All() {
				name, _ := item.StringOK()
				p.commands = append(p.commands, name)
			}
		case "appName":
			p.appName, _ = value.StringOK()
		case "closeConnection":
			p.closeConnection, _ = value.AsBoolOK()
		case "errorCode", "failBeforeCommitExceptionCode":
			if n, ok := value.AsInt64OK(); ok {
				p.errorCode = new(int32(n))
			}
		case "blockConnection":
			if b, _ := value.AsBoolOK(); b {
				ms, _ := data.Lookup("blockTimeMS").AsInt64OK()
				p.block = time.Duration(ms) * time.Millisecond
			}
		case "errorLabels":
			array, _ := value.ArrayOK()
			p.labels = []string{}
			for _, item := range array.All() {
				label, _ := item.StringOK()
				p.labels = append(p.labels, label)
			}
		case "writeConcernError":
			p.writeConcernError, _ = value.DocumentOK()
		case "namespace", "nss":
			p.namespace, _ = value.StringOK()
		case "blockTimeMS", "threadName", "closeConnectionAfter", "failInternalCommands":
		default:
			return status.Errorf(errcode.BadValue, "fail point data: unknown field %s", key)
		}
	}
	return nil
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
	if point.times > 0 {
		point.times--
		if point.times == 0 {
			delete(p.active, name)
		}
	}
	p.entered[name]++
	return point
}

// apply lets failCommand act on a command: it may block it, drop the connection, or answer with an error. A fail point
// that only adds a write concern error is returned, for the end of the command.
func (p *failPoints) apply(r *request) (*failPoint, error) {
	point := p.take(failCommand, func(f *failPoint) bool { return f.matches(r) })
	if point == nil {
		return nil, nil
	}
	if err := point.act(r); err != nil {
		return nil, err
	}
	return point, nil
}

func (f *failPoint) matches(r *request) bool {
	if !slices.ContainsFunc(f.commands, func(name string) bool { return sameCommand(name, r.name) }) {
		return false
	}
	if f.appName != "" {
		r.noteClient() // the first hello of a connection names the application, and may be the command that is meant
		if f.appName != r.conn.application() {
			return false
		}
	}
	return f.namespace == "" || f.namespace == r.db+"."+r.text(r.name)
}

// sameCommand compares command names; the three names of hello are one command to a fail point only as far as they
// share their spelling apart from case.
func sameCommand(a, b string) bool {
	return a == b || a == "isMaster" && b == "ismaster" || a == "ismaster" && b == "isMaster"
}

// act blocks, drops or fails.
func (f *failPoint) act(r *request) error {
	if f.block > 0 {
		timer := time.NewTimer(f.block)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.ctx.Done():
			return errDrop
		}
	}
	if f.closeConnection {
		return errDrop
	}
	if f.errorCode != nil {
		e := status.Errorf(errcode.Code(*f.errorCode), "Failing command via '%s' failpoint", f.name)
		e.Labels = f.labels
		return e
	}
	return nil
}
