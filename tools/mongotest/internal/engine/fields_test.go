package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

func TestFieldsCheckACommand(t *testing.T) {
	fields := func() *engine.Fields {
		return engine.Takes("text:string", "any", "list:array!").Since(wire.Server70, "late:flag")
	}
	for _, test := range []struct {
		name, command string
		fields        *engine.Fields
		version       int32
		want          errcode.Code
	}{
		{"all", `{"c":1,"text":"x","any":{},"list":[],"late":1}`, fields(), wire.Server70, 0},
		{"what every command takes", `{"c":1,"list":[],"$db":"d","comment":1,"lsid":{},"maxTimeMS":5}`, fields(), wire.Server70, 0},
		{"unknown", `{"c":1,"list":[],"x":1}`, fields(), wire.Server50, 40415},
		{"unknown, before 5.0", `{"c":1,"list":[],"x":1}`, fields(), wire.Server44, 0},
		{"unknown, before it is refused", `{"c":1,"list":[],"x":1}`, fields().StrictSince(wire.Server81), wire.Server80, 0},
		{"unknown, where others are ignored", `{"c":1,"list":[],"x":1}`, fields().Ignoring("of a test"), wire.Server80, 0},
		{"too new", `{"c":1,"list":[],"late":true}`, fields(), wire.Server60, 40415},
		{"another type", `{"c":1,"list":[],"text":1}`, fields(), wire.Server80, 14},
		{"another type, where others are ignored", `{"c":1,"list":[],"text":1}`, fields().Ignoring("of a test"), wire.Server80, 14},
		{"null", `{"c":1,"list":[],"text":null}`, fields(), wire.Server80, 0},
		{"missing", `{"c":1}`, fields(), wire.Server80, 40414},
		{"twice", `{"c":1,"list":[],"any":1,"any":2}`, fields(), wire.Server80, 40413},
	} {
		var body bson.Raw
		if err := bson.UnmarshalExtJSON([]byte(test.command), false, &body); err != nil {
			t.Fatal(err)
		}
		var got errcode.Code
		err := test.fields.Check("c", body, test.version)
		if err != nil {
			got = status.From(err).Code
		}
		if got != test.want {
			t.Errorf("%s: %v, want code %d", test.name, err, test.want)
		}
	}
}

// A mistyped type would take any value.
func TestFieldsWantATypeThatExists(t *testing.T) {
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, `pwd:strng: "strng" is no type of a field`) {
			t.Error(text)
		}
	}()
	engine.Takes("pwd:strng")
}
