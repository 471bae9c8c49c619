package topology

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
)

func TestHandshakeOfAPooledConnectionUpdatesTheTopology(t *testing.T) {
	d := replicaSet("a:1")
	d.servers["a:1"].latency = time.Millisecond
	mode := options.MonitorPoll
	runInBubble(t, d, &options.Client{ServerMonitoringMode: &mode}, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
		selectWritable(t, top)
		synctest.Wait()
		primary := d.reply("a:1")
		d.change("a:1", func(s *fakeServer) { s.fields = memberFields([]string{"a:1"}, "a:1", false, 0) })
		top.noteHandshake("a:1", d.reply("a:1"))
		s, _ := top.Description().Server("a:1")
		if s.Type != description.RSSecondary || s.RTT != time.Millisecond {
			t.Errorf("after a newer handshake: %v, RTT %v", s.Type, s.RTT)
		}
		l.take()
		top.noteHandshake("a:1", primary)
		top.noteHandshake("a:1", d.reply("a:1"))
		top.noteHandshake("z:1", d.reply("a:1"))
		if got := l.take(); len(got) != 0 {
			t.Errorf("older, equal and foreign handshakes published %q", got)
		}
	})
}

func TestHandshakeDoesNotReviveAServer(t *testing.T) {
	d := replicaSet("a:1")
	runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		selectWritable(t, top)
		d.change("a:1", func(s *fakeServer) { s.down = true })
		synctest.Wait()
		top.noteHandshake("a:1", d.reply("a:1"))
		if got := typeOf(top, "a:1"); got != description.ServerUnknown {
			t.Errorf("the server became %v by the handshake of a connection that was opened before it failed", got)
		}
	})
}
