package query

import (
	"math"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/script"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// where is $where. A document matches if a JavaScript function returns a true value.
type where struct {
	function script.Function
	check    *interrupt.Check
}

func (c *compiler) compileWhere(v bson.RawValue) (node, error) {
	source, scope, ok := script.Source(v)
	if !ok || v.Type == bsontype.CodeWithScope && c.options.Scope.Wire() >= wire.Server44 {
		return nil, status.Errorf(errcode.BadValue, "$where got bad type")
	}
	f, err := c.options.Scope.Engine().Function(source, scope, true)
	return where{f, c.options.Scope.Check()}, err
}

func (w where) match(m *Match, d bson.Raw) bool {
	v, err := w.function.Call(&script.Call{This: value.Document(d), Interrupt: w.check})
	if err != nil {
		m.err = err
		return false
	}
	return isTruthy(v)
}

// isTruthy reports whether JavaScript treats v as true. An empty string and NaN are false.
func isTruthy(v bson.RawValue) bool {
	switch {
	case v.Type == bsontype.String:
		return value.Text(v) != ""
	case v.Type == bsontype.Double && math.IsNaN(number.Float64(v)):
		return false
	}
	return value.IsTruthy(v)
}
