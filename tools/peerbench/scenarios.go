package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"text/tabwriter"
	"time"

	officialevent "go.mongodb.org/mongo-driver/v2/event"
	official "go.mongodb.org/mongo-driver/v2/mongo"
	officialoptions "go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// scenario is one figure about a client's work apart from its operations.
type scenario struct {
	Name     string  `json:"name"`
	Unit     string  `json:"unit"`
	Official float64 `json:"official"`
	Onion    float64 `json:"onion"`
	Goal     float64 `json:"goal"`           // the most that Onion may be, as a multiple of Official; 0 without a goal
	Most     float64 `json:"most,omitempty"` // the same, whatever Official is
}

func (s scenario) reached() bool {
	return (s.Goal == 0 || s.Onion <= s.Goal*s.Official) && (s.Most == 0 || s.Onion <= s.Most)
}

// scenarioReasons say what limits a scenario that misses its goal, by a part of its name.
var scenarioReasons = reasons{
	{"of 10,000 goroutines", "of 8.9 us more of processor time, 2.9 go into waiting and waking (channels, scheduler), 0.8 " +
		"into system calls, and 4.9 into the same code of the driver and the codec, probably because the stacks of so many goroutines " +
		"are not in the caches; the name says what bare sockets pay behind a channel"},
	{"over the", "in 2.8 s, strace counts 39 calls of epoll_pwait and 38 of futex, and bare sockets make 29 and 19: each hello and " +
		"round trip sets a deadline, whose timer the runtime may wake a thread for"},
	{"the smallest program", "net/http takes 0.9 MB, zstd 0.48 MB, as all of its levels are linked, SCRAM with SASLprep 0.3 MB, " +
		"log/slog with encoding/json 0.3 MB; a program that only shakes hands over TLS has 4.6 MB"},
	{"200 connections, at rest, live", "of 1.8 KB for a connection, the socket takes 0.3, the connection itself 0.4, " +
		"its place in the pool, the buffer of its messages and what wakes it from a read 0.14 each, " +
		"and the session that its operations leave 0.2"},
}

// goal says what the goal is and whether it is missed.
func (s scenario) goal() (text string) {
	switch {
	case s.Most > 0:
		text = fmt.Sprintf("at most %g", s.Most)
	case s.Goal > 0:
		text = fmt.Sprintf("at most %g of official", s.Goal)
	}
	if !s.reached() {
		text += ", missed"
	}
	return text
}

// secureParameters are the parameters for a server with TLS and users.
const secureParameters = "tls=true&tlsInsecure=true&authMechanism=SCRAM-SHA-256"

// withUser adds the user to a URI.
func withUser(uri string) string {
	return strings.Replace(uri, "mongodb://", "mongodb://"+benchName+":"+benchPassword+"@", 1)
}

// clientOf is a client of one of the drivers.
type clientOf interface {
	ping(context.Context) error
	close()
}

type officialClient struct{ *official.Client }

func (c officialClient) ping(ctx context.Context) error { return c.Ping(ctx, nil) }
func (c officialClient) close()                         { c.Disconnect(context.Background()) }

type onionClient struct{ *mongo.Client }

func (c onionClient) ping(ctx context.Context) error { return c.Ping(ctx, nil) }
func (c onionClient) close()                         { c.Close(context.Background()) }

// openOne opens a client of the driver with that name. ready, which may be nil, is called for
// each connection of its pools that is ready.
func openOne(driver, uri string, ready func()) (clientOf, error) {
	if driver == "official" {
		o := officialoptions.Client().ApplyURI(uri)
		if ready != nil {
			o.SetPoolMonitor(&officialevent.PoolMonitor{Event: func(e *officialevent.PoolEvent) {
				if e.Type == officialevent.ConnectionReady {
					ready()
				}
			}})
		}
		c, err := official.Connect(o)
		return officialClient{c}, err
	}
	o := &options.Client{}
	if ready != nil {
		o.PoolMonitor = &event.PoolMonitor{ConnectionReady: func(*event.ConnectionReady) { ready() }}
	}
	c, err := mongo.Connect(context.Background(), uri, o)
	return onionClient{c}, err
}

// measureScenarios measures all of them.
func measureScenarios(progress func(scenario)) (list []scenario, err error) {
	for _, measure := range []func() ([]scenario, error){measureCold, measureStorm, measureCrowd, measureIdle, measureBinary} {
		found, err := measure()
		if err != nil {
			return list, err
		}
		for _, s := range found {
			list = append(list, s)
			progress(s)
		}
	}
	return list, nil
}

// runBoth runs something with each driver in turn and returns the medians of two figures.
func runBoth(rounds int, run func(driver string) (x, y float64, err error)) (theirs, ours [2]float64, err error) {
	figures := map[string][2][]float64{}
	for range rounds {
		for _, driver := range []string{"official", "onion"} {
			x, y, err := run(driver)
			if err != nil {
				return theirs, ours, fmt.Errorf("%s: %w", driver, err)
			}
			f := figures[driver]
			f[0], f[1] = append(f[0], x), append(f[1], y)
			figures[driver] = f
		}
	}
	for i := range 2 {
		theirs[i], ours[i] = median(figures["official"][i]), median(figures["onion"][i])
	}
	return theirs, ours, nil
}

// measureMilliseconds returns the wall-clock and processor time that something takes.
func measureMilliseconds(do func() error) (wall, cpu float64, err error) {
	used, began := cpuTime(), time.Now()
	err = do()
	return time.Since(began).Seconds() * 1e3, (cpuTime() - used).Seconds() * 1e3, err
}

// measureCold measures a client's first operation: connecting with TLS and SCRAM-SHA-256, and a ping.
func measureCold() ([]scenario, error) {
	s, err := startServer("secure")
	if err != nil {
		return nil, err
	}
	defer s.input.Close()
	theirs, ours, err := runBoth(20, func(driver string) (float64, float64, error) {
		var c clientOf
		wall, cpu, err := measureMilliseconds(func() (err error) {
			if c, err = openOne(driver, withUser(s.uri(secureParameters)), nil); err == nil {
				err = c.ping(context.Background())
			}
			return err
		})
		if err == nil {
			c.close()
		}
		return wall, cpu, err
	})
	return []scenario{
		{Name: "first operation with TLS and SCRAM-SHA-256", Unit: "ms", Official: theirs[0], Onion: ours[0], Goal: 1},
		{Name: "first operation with TLS and SCRAM-SHA-256, processor", Unit: "ms", Official: theirs[1], Onion: ours[1], Goal: 1},
	}, err
}

const stormConnections = 1000

// measureStorm opens many connections with TLS and SCRAM-SHA-256 at once. It starts one operation for each connection,
// and none ends before all connections are open.
func measureStorm() ([]scenario, error) {
	s, err := startServer("secure stuck")
	if err != nil {
		return nil, err
	}
	defer s.input.Close()
	uri := withUser(s.uri(fmt.Sprintf("%s&maxPoolSize=%d&maxConnecting=16", secureParameters, stormConnections)))
	theirs, ours, err := runBoth(3, func(driver string) (float64, float64, error) { return openStorm(driver, uri) })
	return []scenario{
		{Name: "1,000 connections with TLS and SCRAM-SHA-256", Unit: "ms", Official: theirs[0], Onion: ours[0], Goal: 1},
		{Name: "1,000 connections with TLS and SCRAM-SHA-256, processor", Unit: "ms", Official: theirs[1], Onion: ours[1], Goal: 1},
	}, err
}

func openStorm(driver, uri string) (wall, cpu float64, err error) {
	var ready atomic.Int64
	full := make(chan struct{})
	c, err := openOne(driver, uri, func() {
		if ready.Add(1) == stormConnections {
			close(full)
		}
	})
	if err != nil {
		return 0, 0, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	wall, cpu, err = measureMilliseconds(func() error {
		for range stormConnections {
			go c.ping(ctx) // ends with ctx
		}
		select {
		case <-full:
			return nil
		case <-time.After(time.Minute):
			return fmt.Errorf("%d of %d connections after a minute", ready.Load(), stormConnections)
		}
	})
	cancel()
	c.close()
	return wall, cpu, err
}

func printScenarios(w io.Writer, list []scenario) error {
	if len(list) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "what a client does besides\tofficial\tonion\tquotient\tgoal\t")
	for _, s := range list {
		fmt.Fprintf(table, "%s %s\t%.2f\t%.2f\t%.2f\t%s\t\n", s.Name, s.Unit, s.Official, s.Onion, s.Onion/s.Official, s.goal())
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, s := range list {
		if reason := scenarioReasons.of(s.Name); reason != "" && !s.reached() {
			fmt.Fprintf(w, "%s %.2f, %s: %s\n", s.Name, s.Onion, s.goal(), reason)
		}
	}
	return nil
}
