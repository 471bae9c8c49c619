package topology

import (
	"reflect"
	"testing"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
)

// An option of pools that poolOptions leaves out would have no effect.
func TestEveryOptionOfAPoolReachesIt(t *testing.T) {
	client := &options.Client{}
	for i, field := range reflect.VisibleFields(reflect.TypeFor[event.PoolOptions]()) {
		from := reflect.ValueOf(client).Elem().FieldByName(field.Name)
		if !from.IsValid() || from.Type() != field.Type {
			t.Fatalf("specs/options/client.yaml has no field %s of type %s, which specs/events/events.yaml gives to PoolOptions", field.Name, field.Type)
		}
		from.Set(reflect.New(field.Type.Elem()))
		from.Elem().SetInt(int64(i + 1))
	}
	got := reflect.ValueOf(poolOptions(client))
	for i := range got.NumField() {
		name := got.Type().Field(i).Name
		if got.Field(i).IsNil() || got.Field(i).Elem().Int() != int64(i+1) {
			t.Errorf("poolOptions leaves %s out, or takes another option for it", name)
		}
	}
}
