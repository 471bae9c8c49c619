// The command configureFailPoint: configures the fail points that driver tests use.
//
// Left out: all fail points but failCommand, failGetMoreAfterCursorCheckout, onPrimaryTransactionalWrite,
// maxTimeAlwaysTimeOut, maxTimeNeverTimeOut and WTPreserveSnapshotHistoryIndefinitely, which changes nothing.

package failpoint

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// The fail points that exist.
const (
	failCommand          = "failCommand"
	getMore              = "failGetMoreAfterCursorCheckout"
	onTransactionalWrite = "onPrimaryTransactionalWrite"
	alwaysTimesOut       = "maxTimeAlwaysTimeOut"
	neverTimesOut        = "maxTimeNeverTimeOut"
	keepsHistory         = "WTPreserveSnapshotHistoryIndefinitely"
)

var names = []string{failCommand, getMore, onTransactionalWrite, alwaysTimesOut, neverTimesOut, keepsHistory}

// Point is a fail point that is switched on.
type Point struct {
	name string

	times int     // how often it still acts; -1 for always
	skip  int     // how many matching commands pass before it acts
	odds  float64 // the probability that it acts; 0 means always

	all               bool // acts on every command
	commands          []string
	appName           *string
	namespace         string
	closeConnection   bool
	errorCode         *int64
	errorInfo         bson.Raw // fields of the reply besides the code
	block             bool
	blockFor          bson.RawValue
	labels            []string // nil lets the server add its own
	writeConcernError bson.Raw
}

// Points are the fail points of one server. Its methods are safe for concurrent use.
type Points struct {
	mu      sync.Mutex
	active  map[string]*Point
	entered map[string]int64
}

// Reset switches every fail point off, as a restart does.
func (p *Points) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.active, p.entered = nil, nil
}

// Active returns the names of the fail points that are on.
func (p *Points) Active() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.active))
}

// Configure runs configureFailPoint and answers how often the fail point has acted. The modes are off, alwaysOn,
// {times: n}, {skip: n} and {activationProbability: p}.
func (p *Points) Configure(c *call.Call) (bson.Raw, error) {
	name := c.Text("configureFailPoint")
	if !slices.Contains(names, name) {
		return nil, status.Errorf(errcode.FailPointSetFailed, "%s not found", name)
	}
	point := &Point{name: name}
	on, err := point.parseMode(c.Body.Lookup("mode"))
	if err != nil {
		return nil, err
	}
	data := c.Body.Lookup("data")
	doc, ok := data.DocumentOK()
	if !ok && !data.IsZero() {
		return nil, status.Errorf(errcode.TypeMismatch, "the 'data' option must be a JSON object")
	}
	point.parseData(doc)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.active == nil {
		p.active, p.entered = map[string]*Point{}, map[string]int64{}
	}
	delete(p.active, name)
	if on {
		p.active[name] = point
	}
	return reply.New().Int64("count", p.entered[name]).Done(), nil
}

// TimesOut reports whether a command with a maxTimeMS must time out at once.
func (p *Points) TimesOut() bool {
	return p.take(alwaysTimesOut, func(*Point) bool { return true }) != nil
}

// NeverTimesOut reports whether a command with a maxTimeMS must never time out.
func (p *Points) NeverTimesOut() bool {
	return p.take(neverTimesOut, func(*Point) bool { return true }) != nil
}

// take returns the fail point if it acts on a matching command, and counts the use.
func (p *Points) take(name string, matches func(*Point) bool) *Point {
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

// Target is a command that failCommand may act on.
type Target struct {
	*call.Call
	AppName func() string // the client's application name; called only when a fail point needs it
}

// Before returns the failCommand that acts on a command before it runs, or nil.
func (p *Points) Before(t Target) *Point {
	return p.take(failCommand, func(f *Point) bool {
		return (f.block || f.closeConnection || f.errorCode != nil) && f.matches(t)
	})
}

// After returns the failCommand that adds a write concern error to the reply of a command that ran, or nil.
func (p *Points) After(t Target) *Point {
	return p.take(failCommand, func(f *Point) bool { return f.writeConcernError != nil && f.matches(t) })
}

// OnGetMore returns the fail point that acts on a getMore once it has its cursor, or nil.
func (p *Points) OnGetMore() *Point { return p.take(getMore, func(*Point) bool { return true }) }

// FailsWrites reports whether a fail point may fail statements of retryable writes.
func (p *Points) FailsWrites() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	point := p.active[onTransactionalWrite]
	return point != nil && point.errorCode != nil
}

// BeforeWrite returns the fail point that fails a statement of a retryable write, or nil.
func (p *Points) BeforeWrite() *Point {
	return p.take(onTransactionalWrite, func(f *Point) bool { return f.errorCode != nil })
}

// DropsAfterWrite reports whether a fail point closes the connection after one of the statements of a retryable write.
func (p *Points) DropsAfterWrite(statements int) (drops bool) {
	for range statements {
		point := p.take(onTransactionalWrite, func(f *Point) bool { return f.errorCode == nil && f.closeConnection })
		drops = drops || point != nil
	}
	return drops
}

func (f *Point) matches(t Target) bool {
	if f.appName != nil && *f.appName != t.AppName() {
		return false
	}
	if f.namespace != "" && f.namespace != t.DB+"."+t.Text(t.Name) {
		return false
	}
	return f.all || slices.ContainsFunc(f.commands, func(name string) bool { return sameCommand(name, t.Name) })
}

// KnowsFirstHello reports whether a fail point already knows the application name while the hello that carries it runs.
// It does from 4.4.7 on.
func KnowsFirstHello(version int32) bool { return version >= wire.Server44 }

// sameCommand reports whether two names belong to one command. Aliases differ only in case, except for dropIndexes.
// hello and isMaster are different commands.
func sameCommand(a, b string) bool {
	return strings.EqualFold(a, b) || a == "dropIndexes" && b == "deleteIndexes" || a == "deleteIndexes" && b == "dropIndexes"
}

// Act blocks, drops the connection or fails, in this order. A nil Point does nothing. sleep waits until the time is
// over or the operation ends.
func (f *Point) Act(sleep func(time.Duration) error) error {
	if f == nil {
		return nil
	}
	if f.block {
		ms, ok := f.blockFor.AsInt64OK()
		if !ok {
			return status.Errorf(errcode.InvalidOptions, "must specify 'blockTimeMS' when 'blockConnection' is true")
		}
		if ms < 0 {
			return status.Errorf(errcode.InvalidOptions, "'blockTimeMS' must be non-negative")
		}
		if err := sleep(time.Duration(ms) * time.Millisecond); err != nil {
			return err
		}
	}
	if f.closeConnection {
		return call.ErrDrop
	}
	if f.errorCode != nil {
		message := "Failing command via '%s' failpoint"
		if f.name == getMore {
			message = "Hit the '%s' failpoint"
		}
		e := status.Errorf(errcode.Code(*f.errorCode), message, f.name)
		e.Labels, e.Info = f.labels, f.errorInfo
		return e
	}
	return nil
}

// WriteConcernError returns the error that the fail point adds to a reply, with its error labels. With nil labels the server
// adds its own.
func (f *Point) WriteConcernError() (bson.Raw, []string) { return f.writeConcernError, f.labels }
