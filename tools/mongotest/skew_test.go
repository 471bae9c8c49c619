package mongotest_test

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/tools/mongotest"
)

// A wrong clock affects only what the node reports about itself.
func TestSkew(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(2))
	d.Skew(1, time.Hour)
	for i, want := range []time.Duration{0, time.Hour} {
		reply := connectRaw(t, d, i).runAdmin("hello", 1)
		local, _ := reply.Lookup("localTime").DateTimeOK()
		written, _ := reply.Lookup("lastWrite", "lastWriteDate").DateTimeOK()
		for name, ms := range map[string]int64{"localTime": int64(local), "lastWriteDate": int64(written)} {
			if off := time.Until(time.UnixMilli(ms)) - want; off.Abs() > time.Minute {
				t.Errorf("node %d: %s is off by %v", i, name, off)
			}
		}
	}
}
