package exec

import (
	"context"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/options"
)

// A server may await data for the time that is left, less a round trip, and never without a limit. A retry gets what is
// left then. Without timeoutMS the option is sent unchanged.
func TestTimeOfAServerThatAwaitsData(t *testing.T) {
	for _, tt := range []struct {
		name           string
		timeout        *time.Duration
		left, set, rtt time.Duration
		want           []int64 // for each try: the first fails with an overload after 100 ms, the next begins 200 ms later
	}{
		{"enough", new(time.Minute), 10 * time.Second, time.Second, 0, []int64{1000, 1000}},
		{"too little", new(time.Minute), 700 * time.Millisecond, time.Second, 0, []int64{700, 400}},
		{"less a round trip", new(time.Minute), 700 * time.Millisecond, time.Second, 150 * time.Millisecond, []int64{550, 250}},
		{"enough for the first try", new(time.Minute), 700 * time.Millisecond, 600 * time.Millisecond, 0, []int64{600, 400}},
		{"not set", new(time.Minute), 700 * time.Millisecond, 0, 0, []int64{0, 0}},
		{"without timeoutMS", nil, 700 * time.Millisecond, time.Second, 0, []int64{1000, 1000}},
		{"with an endless one", new(time.Duration(0)), 0, time.Second, 0, []int64{1000, 1000}},
	} {
		play(t, "member", 1, func(s *scene) { s.helloTakes = tt.rtt }, func(s *scene) {
			time.Sleep(time.Minute)
			s.run(find()) // makes the connection
			s.takeQuestions()
			s.answerWith(answer{fields: overload().fields, after: 100 * time.Millisecond})
			ctx, cancel := s.Context(), func() {}
			if tt.left > 0 {
				ctx, cancel = context.WithTimeout(ctx, tt.left)
			}
			defer cancel()
			_, err := s.x.Run(ctx, &Operation{
				DB: "db", Command: &command.GetMore{ID: 7, Collection: "c", MaxAwaitTime: tt.set}, Server: s.x.Topology.Servers()[0],
				Part: timeout.GetMore, Timeout: tt.timeout, ReadPreference: &options.ReadPreference{},
			})
			if err != nil {
				s.Errorf("%s: %v", tt.name, err)
			}
			for i, q := range s.wantAsked("getMore", "getMore") {
				if ms, _ := q.command.Lookup("maxTimeMS").AsInt64OK(); ms != tt.want[i] {
					s.Errorf("%s: try %d lets the server wait %d ms, want %d", tt.name, i, ms, tt.want[i])
				}
			}
		})
	}
}
