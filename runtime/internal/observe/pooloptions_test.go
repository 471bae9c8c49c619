package observe

import (
	"reflect"
	"testing"

	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/event"
)

// An option of pools that the event has is in the log line too.
func TestTheLogShowsEveryOptionOfAPool(t *testing.T) {
	e := &event.PoolCreated{Address: "a:1"}
	set := reflect.ValueOf(&e.Options).Elem()
	for i := range set.NumField() {
		set.Field(i).Set(reflect.New(set.Type().Field(i).Type.Elem()))
		set.Field(i).Elem().SetInt(int64(i + 1))
	}
	message := reflect.ValueOf(poolCreated(e).(*logmsg.PoolCreated)).Elem()
	for i := range set.NumField() {
		name := set.Type().Field(i).Name
		logged := message.FieldByName(name)
		switch {
		case !logged.IsValid():
			t.Errorf("the message \"Connection pool created\" in specs/logs/messages.yaml has no key for %s", name)
		case logged.IsNil() || logged.Elem().Int() != int64(i+1):
			t.Errorf("poolCreated leaves %s out, or takes another option for it", name)
		}
	}
}
