package pool

import (
	"reflect"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/event"
)

// A pool has a limit for each of its options.
func TestEveryOptionIsALimit(t *testing.T) {
	var o event.PoolOptions
	set := reflect.ValueOf(&o).Elem()
	for i := range set.NumField() {
		set.Field(i).Set(reflect.New(set.Type().Field(i).Type.Elem()))
		set.Field(i).Elem().SetInt(int64(i + 1))
	}
	limits := reflect.ValueOf(limitsOf(&o))
	for i := range set.NumField() {
		name := set.Type().Field(i).Name
		limit := limits.FieldByName(strings.ToLower(name[:1]) + name[1:])
		if !limit.IsValid() || limit.Int() != int64(i+1) {
			t.Errorf("limitsOf leaves %s out, or takes another option for it", name)
		}
	}
}
