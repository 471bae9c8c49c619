package sdam_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"

	"github.com/specdrivers/onion/generated/core/sdamtable"
)

// SDAM, "ServerType", and SDAM logging and monitoring for the names in events.
func TestServerTypes(t *testing.T) {
	tests := []struct {
		typ                    description.ServerType
		text                   string
		dataBearing, available bool
	}{
		{description.ServerUnknown, "Unknown", false, false},
		{description.PossiblePrimary, "PossiblePrimary", false, false},
		{description.Standalone, "Standalone", true, true},
		{description.Mongos, "Mongos", true, true},
		{description.RSPrimary, "RSPrimary", true, true},
		{description.RSSecondary, "RSSecondary", true, true},
		{description.RSArbiter, "RSArbiter", false, true},
		{description.RSOther, "RSOther", false, true},
		{description.RSGhost, "RSGhost", false, true},
		{description.LoadBalancer, "LoadBalancer", true, true},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			if got := tt.typ.String(); got != tt.text {
				t.Errorf("String() = %s", got)
			}
			if parsed, ok := description.ParseServerType(tt.text); !ok || parsed != tt.typ {
				t.Errorf("ParseServerType() = %v, %t", parsed, ok)
			}
			if got := tt.typ.IsDataBearing(); got != tt.dataBearing {
				t.Errorf("IsDataBearing() = %t", got)
			}
			if got := tt.typ.IsAvailable(); got != tt.available {
				t.Errorf("IsAvailable() = %t", got)
			}
		})
	}
}

// SDAM logging and monitoring, "Determining If A Topology Has Readable/Writable Servers".
func TestTopologyTypes(t *testing.T) {
	tests := []struct {
		typ                description.TopologyType
		text               string
		readable, writable sdamtable.Rule
	}{
		{description.TopologyUnknown, "Unknown", sdamtable.Never, sdamtable.Never},
		{description.Single, "Single", sdamtable.IfAvailable, sdamtable.IfAvailable},
		{description.ReplicaSetNoPrimary, "ReplicaSetNoPrimary", sdamtable.ByPreference, sdamtable.Never},
		{description.ReplicaSetWithPrimary, "ReplicaSetWithPrimary", sdamtable.ByPreference, sdamtable.Always},
		{description.Sharded, "Sharded", sdamtable.IfAvailable, sdamtable.IfAvailable},
		{description.LoadBalanced, "LoadBalanced", sdamtable.Always, sdamtable.Always},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			if got := tt.typ.String(); got != tt.text {
				t.Errorf("String() = %s", got)
			}
			if parsed, ok := description.ParseTopologyType(tt.text); !ok || parsed != tt.typ {
				t.Errorf("ParseTopologyType() = %v, %t", parsed, ok)
			}
			if r, w := sdamtable.Readable(tt.typ), sdamtable.Writable(tt.typ); r != tt.readable || w != tt.writable {
				t.Errorf("Readable() = %v, Writable() = %v", r, w)
			}
		})
	}
}

// SDAM, "Initial TopologyType".
func TestInitialTopology(t *testing.T) {
	for _, tt := range []struct {
		balanced, direct, set bool
		want                  description.TopologyType
	}{
		{false, false, false, description.TopologyUnknown},
		{false, false, true, description.ReplicaSetNoPrimary},
		{false, true, false, description.Single},
		{false, true, true, description.Single},
		{true, false, false, description.LoadBalanced},
	} {
		if got := sdamtable.InitialTopology(tt.balanced, tt.direct, tt.set); got != tt.want {
			t.Errorf("InitialTopology(%t, %t, %t) = %v, want %v", tt.balanced, tt.direct, tt.set, got, tt.want)
		}
	}
}

// SDAM, "Server Description Equality": every field counts, except those that change although the server does not.
func TestEqualityComparesAllButMeasurements(t *testing.T) {
	ignored := map[string]bool{
		"Address": true, "RTT": true, "MinRTT": true, "LastUpdateTime": true, "LastWriteDate": true, "OpTime": true,
		"HelloOK": true, "MaxBSONObjectSize": true, "MaxMessageSizeBytes": true, "MaxWriteBatchSize": true,
	}
	for f := range reflect.TypeFor[description.Server]().Fields() {
		var s description.Server
		change(t, reflect.ValueOf(&s).Elem().FieldByIndex(f.Index))
		if got := s.Equal(&description.Server{}); got != ignored[f.Name] {
			t.Errorf("servers that differ in %s are equal: %t", f.Name, got)
		}
	}
	for f := range reflect.TypeFor[description.Topology]().Fields() {
		var top description.Topology
		change(t, reflect.ValueOf(&top).Elem().FieldByIndex(f.Index))
		if top.Equal(&description.Topology{}) {
			t.Errorf("topologies that differ in %s are equal", f.Name)
		}
	}
}

// change gives a field another value than its zero value.
func change(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Interface().(type) {
	case []string:
		v.Set(reflect.ValueOf([]string{"a:1"}))
	case map[string]string:
		v.Set(reflect.ValueOf(map[string]string{"a": "b"}))
	case []description.Server:
		v.Set(reflect.ValueOf([]description.Server{{Address: "a:1"}}))
	case bson.Raw:
		v.Set(reflect.ValueOf(bson.Raw{5, 0, 0, 0, 0}))
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(1, 0)))
	default:
		switch v.Kind() {
		case reflect.String:
			v.SetString("a")
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
		case reflect.Interface:
			v.Set(reflect.ValueOf(errors.New("failed")))
		case reflect.Uint8:
			v.SetUint(3)
		case reflect.Int32, reflect.Int64:
			v.SetInt(3)
		default:
			t.Fatalf("a field has type %s", v.Type())
		}
	}
}
