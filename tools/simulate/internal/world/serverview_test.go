package world

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// serverStep is an event of a server, or time that passes.
type serverStep struct {
	what  string
	conn  string
	pause time.Duration
}

func TestServerView(t *testing.T) {
	opens, closes := serverStep{what: "opens"}, serverStep{what: "closes"}
	begins := func(conn string) serverStep { return serverStep{what: "begins", conn: conn} }
	ends := func(conn string) serverStep { return serverStep{what: "ends", conn: conn} }
	fails := func(conn string) serverStep { return serverStep{what: "fails", conn: conn} }
	pause := serverStep{what: "pause", pause: time.Second}
	for name, c := range map[string]struct {
		steps []serverStep
		found int
	}{
		"one check after the other":        {[]serverStep{opens, begins("1"), ends("1"), pause, begins("1"), ends("1"), closes}, 0},
		"two checks at a time":             {[]serverStep{opens, begins("1"), begins("2"), ends("2"), closes}, 1},
		"a check that nobody started":      {[]serverStep{opens, begins("1"), ends("1"), ends("1"), closes}, 1},
		"a check without an outcome":       {[]serverStep{opens, begins("1"), closes}, 1},
		"an outcome behind the server":     {[]serverStep{opens, begins("1"), closes, fails("1")}, 0},
		"an outcome behind the next check": {[]serverStep{opens, begins("1"), closes, opens, begins("2"), fails("1"), ends("2"), closes}, 0},
		"an outcome before the next check": {[]serverStep{opens, begins("1"), closes, opens, fails("1"), begins("2"), ends("2"), closes}, 0},
		"the next check has no outcome":    {[]serverStep{opens, begins("1"), closes, opens, begins("2"), fails("1"), closes}, 1},
		"a check behind the server":        {[]serverStep{opens, closes, begins("1"), ends("1")}, 1},
		"two checks at one moment":         {[]serverStep{opens, begins("1"), fails("1"), begins("2"), ends("2"), closes}, 0},
		"three checks at one moment":       {[]serverStep{opens, begins("1"), fails("1"), begins("2"), fails("2"), begins("3"), ends("3"), closes}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{t: t, s: &scenario.Scenario{}, began: time.Now(), result: &Result{Effects: map[string]int{}}, failed: map[string]int{}}
				o := newObserver(&client{world: w})
				m := o.serverMonitor()
				for _, s := range c.steps {
					s.tell(m)
				}
				m.TopologyClosed(&event.TopologyClosed{})
				if o.finishServers(); len(w.result.Violations) != c.found {
					t.Errorf("%v, want %d of them", w.result.Violations, c.found)
				}
			})
		})
	}
}

func (s serverStep) tell(m *event.ServerMonitor) {
	const at = "node1:27017"
	switch s.what {
	case "opens":
		m.ServerOpening(&event.ServerOpening{Address: at})
	case "closes":
		m.ServerClosed(&event.ServerClosed{Address: at})
	case "begins":
		m.ServerHeartbeatStarted(&event.ServerHeartbeatStarted{Address: at, ConnectionID: s.conn})
	case "ends":
		m.ServerHeartbeatSucceeded(&event.ServerHeartbeatSucceeded{Address: at, ConnectionID: s.conn})
	case "fails":
		m.ServerHeartbeatFailed(&event.ServerHeartbeatFailed{Address: at, ConnectionID: s.conn})
	default:
		<-time.After(s.pause)
	}
}
