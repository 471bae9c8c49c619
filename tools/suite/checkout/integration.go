package checkout

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/pool"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/suite/wireconn"
)

// Server is what an integration case needs of its server.
type Server struct {
	Versions  []Versions // any of them; none is any version
	FailPoint bson.D
}

// Versions are server versions from Min to Max, both included; an empty bound is none.
type Versions struct{ Min, Max string }

// version returns a version that the case accepts: the default if the case accepts it.
func (s Server) version() string {
	for _, v := range s.Versions {
		if v.Max == "" || slices.Compare(numbers(v.Max), numbers(mongotest.DefaultVersion)) >= 0 {
			return mongotest.DefaultVersion
		}
	}
	if len(s.Versions) > 0 { // of a patch, the release
		release := numbers(s.Versions[0].Max + ".0")
		return fmt.Sprintf("%d.%d", release[0], release[1])
	}
	return mongotest.DefaultVersion
}

func numbers(version string) []int {
	var out []int
	for _, part := range strings.Split(version, ".") {
		n, _ := strconv.Atoi(part)
		out = append(out, n)
	}
	return out
}

// Integration runs a case on connections to a server in memory, in a bubble of fake time.
func Integration(t *testing.T, o Options, s Server, script func(*Pool)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := mongotest.Start(t, mongotest.InMemory(), mongotest.Standalone(), mongotest.Version(s.version()))
		if len(s.FailPoint) > 0 {
			setFailPoint(t, d, s.FailPoint)
		}
		connect := func(ctx context.Context, _ int64) (pool.Conn, error) {
			return open(ctx, d, metadata(t, o.AppName))
		}
		run(t, o, pool.Config[pool.Conn]{Address: d.Hosts()[0], Connect: connect}, script)
	})
}

// metadata returns what a client says about itself in its hello.
func metadata(t *testing.T, appName string) bson.Raw {
	t.Helper()
	client := bson.Doc("driver", bson.Doc("name", "checkout", "version", "0"), "os", bson.Doc("type", "test"))
	if appName != "" {
		client = append(client, bson.E{Key: "application", Value: bson.Doc("name", appName)})
	}
	raw, err := bson.Marshal(client)
	if err != nil {
		t.Fatalf("marshal the metadata: %v", err)
	}
	return raw
}

// open opens a connection and shakes hands.
func open(ctx context.Context, d *mongotest.Deployment, metadata bson.Raw) (*wireconn.Conn, error) {
	c, err := wireconn.DialWith(ctx, d.Dialer(), d.Hosts()[0])
	if err != nil {
		return nil, err
	}
	hello, err := c.Hello(ctx, metadata)
	if err == nil {
		if ok, _ := hello.Lookup("ok").AsFloat64OK(); ok != 1 {
			err = fault.NewCommandError("hello", d.Hosts()[0], hello)
		}
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// setFailPoint sets a fail point over a connection of its own, which has no application name and so is not affected.
func setFailPoint(t *testing.T, d *mongotest.Deployment, point bson.D) {
	t.Helper()
	c, err := open(t.Context(), d, nil)
	if err != nil {
		t.Fatalf("connect to set the fail point: %v", err)
	}
	defer c.Close()
	reply, err := c.Run(t.Context(), "admin", point)
	if err != nil {
		t.Fatalf("set the fail point: %v", err)
	}
	if ok, _ := reply.Lookup("ok").AsFloat64OK(); ok != 1 {
		t.Fatalf("set the fail point: %v", reply)
	}
}
