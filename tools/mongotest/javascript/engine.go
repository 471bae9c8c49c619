package javascript

import (
	"sync"

	"github.com/dop251/goja"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/mongotest/internal/script"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// Enable lets a deployment run JavaScript.
func Enable() mongotest.Option { return mongotest.Scripts(engine{}) }

// engine compiles functions for the interpreter.
type engine struct{}

var _ script.Engine = engine{}

// Function compiles a function.
func (engine) Function(source string, scope bson.Raw, body bool) (script.Function, error) {
	if body {
		source = asFunction(source)
	}
	program, err := goja.Compile("", "("+source+"\n)", false)
	if err != nil {
		return nil, convertError(err)
	}
	f := &function{program: program, scope: scope}
	w, err := f.newWorld() // reports at once if the source is not a function
	if err != nil {
		return nil, err
	}
	f.worlds.Put(w)
	return f, nil
}

// function is a compiled function. Each goroutine that calls it has its own world, because a world runs one call at a
// time.
type function struct {
	program *goja.Program
	scope   bson.Raw
	worlds  sync.Pool
}

// newWorld creates a world that defines the function.
func (f *function) newWorld() (*world, error) {
	w, err := newWorld()
	if err != nil {
		return nil, err
	}
	for name, v := range f.scope.All() {
		if err := w.vm.Set(name, w.toScript(v)); err != nil {
			return nil, convertError(err)
		}
	}
	v, err := w.vm.RunProgram(f.program)
	if err != nil {
		return nil, convertError(err)
	}
	callable, ok := goja.AssertFunction(v)
	if !ok {
		return nil, status.Errorf(errcode.JSInterpreterFailure, "not a function: %s", v)
	}
	w.function = callable
	return w, nil
}

// Call calls the function.
func (f *function) Call(c *script.Call) (bson.RawValue, error) {
	w, _ := f.worlds.Get().(*world)
	if w == nil {
		var err error
		if w, err = f.newWorld(); err != nil {
			return bson.RawValue{}, err
		}
	}
	defer f.worlds.Put(w)
	return w.call(c)
}

// convertError converts the interpreter's error to the server's.
func convertError(err error) error {
	text := err.Error()
	if thrown, ok := err.(*goja.Exception); ok {
		text = thrown.Value().String()
	}
	return status.Errorf(errcode.JSInterpreterFailure, "%s", text)
}
