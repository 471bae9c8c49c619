package javascript

import (
	"context"
	"crypto/md5"
	"fmt"
	"time"

	"github.com/dop251/goja"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
	"github.com/specdrivers/onion/tools/mongotest/internal/script"
)

// world is an interpreter with the functions of a server. One goroutine uses it at a time.
type world struct {
	vm       *goja.Runtime
	function goja.Callable
	hidden   *goja.Symbol // under which an object keeps the value that it represents
	protos   map[kind]*goja.Object

	current *script.Call
	ctx     context.Context // of the current call
}

// prelude defines what does not need Go.
const prelude = `
function NumberLong(v) { return __make("long", v === undefined ? "0" : String(v)) }
function NumberInt(v) { return __make("int", v === undefined ? "0" : String(v)) }
function NumberDecimal(v) { return __make("decimal", v === undefined ? "0" : String(v)) }
function ObjectId(v) { return __make("objectId", v) }
var ObjectID = ObjectId
function UUID(v) { return __make("uuid", v) }
function BinData(type, text) { return __make("binary", type, text) }
function Timestamp(t, i) { return __make("timestamp", t || 0, i || 0) }
function MinKey() { return __make("minKey") }
function MaxKey() { return __make("maxKey") }
function ISODate(v) { return v === undefined ? new Date() : new Date(v) }
function tojson(v) { return JSON.stringify(v) }
var tojsononeline = tojson
function isNumber(v) { return typeof v == "number" || v instanceof NumberLong || v instanceof NumberInt }
function isString(v) { return typeof v == "string" }
function isObject(v) { return typeof v == "object" && v !== null }
function assert(v, text) { if (!v) throw new Error(text || "assert failed") }
function print() {}
var printjson = print
Array.sum = function(list) { return list.length == 0 ? null : list.reduce(function(a, b) { return a + b }) }
Array.avg = function(list) { return list.length == 0 ? null : Array.sum(list) / list.length }
`

var compiled = goja.MustCompile("", prelude, false)

func newWorld() (*world, error) {
	w := &world{vm: goja.New(), hidden: goja.NewSymbol("bson"), protos: map[kind]*goja.Object{}, ctx: context.Background()}
	w.vm.SetMaxCallStackSize(1000)
	w.vm.SetTimeSource(time.Now) // the interpreter's own would ignore the time of a bubble
	w.makePrototypes()
	for name, f := range map[string]func(goja.FunctionCall) goja.Value{
		"__make": w.construct, "sleep": w.sleep, "emit": w.emit, "hex_md5": w.md5,
	} {
		if err := w.vm.Set(name, f); err != nil {
			return nil, convertError(err)
		}
	}
	if _, err := w.vm.RunProgram(compiled); err != nil {
		return nil, convertError(err)
	}
	return w, nil
}

// call calls the function of the world. It is interrupted when the command ends.
func (w *world) call(c *script.Call) (bson.RawValue, error) {
	w.current, w.ctx = c, c.Interrupt.Context()
	interrupted := make(chan struct{})
	stop := context.AfterFunc(w.ctx, func() {
		w.vm.Interrupt("the command has ended")
		close(interrupted)
	})
	args := make([]goja.Value, len(c.Args))
	for i, v := range c.Args {
		args[i] = w.toScript(v)
	}
	this := w.toScript(c.This)
	if !c.This.IsZero() {
		_ = w.vm.Set("obj", this) // the name is free to take: it is the documented one for $where
	}
	v, err := w.function(this, args...)
	if !stop() {
		<-interrupted
	}
	w.vm.ClearInterrupt()
	if err := interrupt.Err(w.ctx); err != nil {
		return bson.RawValue{}, err
	}
	if err != nil {
		return bson.RawValue{}, convertError(err)
	}
	return w.fromScript(v, 0)
}

// sleep waits some milliseconds, or until the command ends.
func (w *world) sleep(c goja.FunctionCall) goja.Value {
	timer := time.NewTimer(time.Duration(c.Argument(0).ToFloat() * float64(time.Millisecond)))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.ctx.Done():
	}
	return goja.Undefined()
}

// emit gives a key and a value to a mapReduce.
func (w *world) emit(c goja.FunctionCall) goja.Value {
	if w.current.Emit == nil {
		panic(w.vm.NewTypeError("emit is for the map function of mapReduce"))
	}
	var pair [2]bson.RawValue
	for i := range pair {
		v, err := w.fromScript(c.Argument(i), 0)
		if err != nil {
			panic(w.vm.NewGoError(err))
		}
		pair[i] = v
	}
	w.current.Emit(pair[0], pair[1])
	return goja.Undefined()
}

// md5 returns the digest of a text, in hexadecimal digits.
func (w *world) md5(c goja.FunctionCall) goja.Value {
	return w.vm.ToValue(fmt.Sprintf("%x", md5.Sum([]byte(c.Argument(0).String()))))
}
