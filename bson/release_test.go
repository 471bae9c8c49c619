package bson

import (
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"
)

// A decoder in the pool must not keep values or bytes of the last document alive.
func TestDecodersKeepNothingAlive(t *testing.T) {
	if !budgetsHold {
		t.Skip("the race detector drops what pools hold")
	}
	mark := Binary{Data: []byte(strings.Repeat("mark", 50))}
	for name, value := range map[string]any{
		"text": "text", "document": Doc("a", "b"), "list": A{"a"}, "binary": Binary{Data: []byte("b")}, "regex": Regex{Pattern: "p"},
		"code": JavaScript("f"), "scope": CodeWithScope{Code: "f", Scope: Doc("a", "b")}, "nothing": nil,
	} {
		source := mustMarshal(t, D{{Key: "v", Value: value}, {Key: "mark", Value: mark}})
		text, err := MarshalExtJSON(D{{Key: "v", Value: value}, {Key: "mark", Value: mark}, {Key: "l", Value: A{value, mark}}}, false)
		if err != nil {
			t.Fatal(err)
		}
		for way, decode := range map[string]func() (values, input weak.Pointer[byte]){
			"D": func() (values, input weak.Pointer[byte]) {
				raw, d := append(Raw(nil), source...), D(nil)
				if err := Unmarshal(raw, &d); err != nil {
					t.Fatal(err)
				}
				return weak.Make(&d[1].Value.(Binary).Data[0]), weak.Make(&raw[0])
			},
			"any": func() (values, input weak.Pointer[byte]) {
				raw := append(Raw(nil), source...)
				var v struct{ V, Mark any }
				if err := Unmarshal(raw, &v); err != nil {
					t.Fatal(err)
				}
				return weak.Make(&v.Mark.(Binary).Data[0]), weak.Make(&raw[0])
			},
			"a text": func() (values, input weak.Pointer[byte]) {
				copied, d := append([]byte(nil), text...), D(nil)
				if err := UnmarshalExtJSON(copied, false, &d); err != nil {
					t.Fatal(err)
				}
				return weak.Make(&d[2].Value.(A)[1].(Binary).Data[0]), weak.Make(&copied[0])
			},
		} {
			values, input := decode()
			runtime.GC() // once: the pool keeps decoders for one collection
			if values.Value() != nil || input.Value() != nil {
				t.Errorf("%s as %s: values are kept %v, input is kept %v", name, way, values.Value() != nil, input.Value() != nil)
			}
		}
	}
}

// In an ObjectID, the 40 bits of the process and the start of its counter are random.
func TestObjectIDBitsAreRandom(t *testing.T) {
	var always, ever ObjectID
	for i := range always {
		always[i] = 0xff
	}
	at := time.Unix(0x5a5a5a5a, 0)
	for range 200 {
		var source objectIDSource
		for i, b := range source.next(at) {
			always[i], ever[i] = always[i]&b, ever[i]|b
		}
	}
	for i := range always {
		wantAlways, wantEver := byte(0), byte(0xff)
		if i < 4 {
			wantAlways, wantEver = 0x5a, 0x5a
		}
		if always[i] != wantAlways || ever[i] != wantEver {
			t.Errorf("byte %d: %#02x are always set, %#02x ever", i, always[i], ever[i])
		}
	}
	var source objectIDSource
	first, second := source.next(at), source.next(at.Add(time.Second))
	if string(first[4:9]) != string(second[4:9]) || first == second {
		t.Errorf("%v and then %v", first, second)
	}
}

func TestMustPanics(t *testing.T) {
	if got := Must(7, true); got != 7 {
		t.Errorf("got %d", got)
	}
	defer func() {
		if r := recover(); r != "bson: the value is no int" {
			t.Errorf("it panics with %v", r)
		}
	}()
	Must(7, false)
	t.Error("it does not panic")
}
