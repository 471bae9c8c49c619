package mongotest_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

// setFailCommand switches failCommand on and returns how often it acted before.
func setFailCommand(c *rawConn, mode any, data ...any) int64 {
	c.t.Helper()
	reply := c.runAdmin("configureFailPoint", "failCommand", "mode", mode, "data", bson.Doc(data...))
	checkRefused(c.t, reply, 0)
	count, ok := reply.Lookup("count").Int64OK()
	if !ok {
		c.t.Errorf("no count in %v", reply)
	}
	return count
}

// Each case says which of eight pings fail in a mode, and how often the fail point acted.
func TestFailPointModes(t *testing.T) {
	for _, test := range []struct {
		name  string
		mode  any
		fails string // x for a failure
	}{
		{"off", "off", "........"},
		{"alwaysOn", "alwaysOn", "xxxxxxxx"},
		{"no times", bson.Doc("times", 0), "........"},
		{"three times", bson.Doc("times", 3), "xxx....."},
		{"three times, as a double", bson.Doc("times", 3.0), "xxx....."},
		{"skip none", bson.Doc("skip", 0), "xxxxxxxx"},
		{"skip three", bson.Doc("skip", int64(3)), "...xxxxx"},
		{"never", bson.Doc("activationProbability", 0), "........"},
		{"certainly", bson.Doc("activationProbability", 1.0), "xxxxxxxx"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t), 0)
			setFailCommand(c, test.mode, "failCommands", bson.A{"ping"}, "errorCode", 8)
			got, acted := "", int64(0)
			for range 8 {
				checkRefused(t, c.runAdmin("buildInfo", 1), 0) // another command neither fails nor counts
				if codeOf(c.runAdmin("ping", 1)) == errcode.UnknownError {
					got += "x"
					acted++
				} else {
					got += "."
				}
			}
			if got != test.fails {
				t.Errorf("%s, want %s", got, test.fails)
			}
			if n := setFailCommand(c, "off"); n != acted {
				t.Errorf("count %d, want %d", n, acted)
			}
			checkRefused(t, c.runAdmin("ping", 1), 0)
		})
	}
}

func TestFailPointThatIsRefused(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t), 0)
	for _, test := range []struct {
		name string
		mode any
		want errcode.Code
	}{
		{"no mode", nil, errcode.IllegalOperation},
		{"an unknown mode", "sometimes", errcode.BadValue},
		{"a mode that is a number", 1, errcode.TypeMismatch},
		{"an empty mode", bson.D{}, errcode.BadValue},
		{"negative times", bson.Doc("times", -1), errcode.BadValue},
		{"too many times", bson.Doc("times", int64(1)<<31), errcode.BadValue},
		{"times that is no number", bson.Doc("times", "1"), errcode.TypeMismatch},
		{"half a time", bson.Doc("times", 0.5), errcode.BadValue},
		{"a negative skip", bson.Doc("skip", -1), errcode.BadValue},
		{"a probability above 1", bson.Doc("activationProbability", 1.5), errcode.BadValue},
		{"a probability that is no number", bson.Doc("activationProbability", "1"), errcode.TypeMismatch},
	} {
		t.Run(test.name, func(t *testing.T) {
			doc := bson.Doc("configureFailPoint", "failCommand", "$db", "admin")
			if test.mode != nil {
				doc = append(doc, bson.E{Key: "mode", Value: test.mode})
			}
			checkRefused(t, c.run(doc), test.want)
		})
	}
	checkRefused(t, c.runAdmin("configureFailPoint", "nothing", "mode", "off"), errcode.FailPointSetFailed)
	checkRefused(t, c.runAdmin("configureFailPoint", "failCommand", "mode", "off", "data", 1), errcode.TypeMismatch)
	checkRefused(t, c.run(bson.Doc("configureFailPoint", "failCommand", "mode", "off", "$db", "db")), errcode.Unauthorized)
	c = connectRaw(t, mongotest.Start(t, mongotest.Parameter("enableTestCommands", false)), 0)
	checkRefused(t, c.runAdmin("configureFailPoint", "failCommand", "mode", "off"), errcode.CommandNotFound)
}

// Each case gives failCommand some data. The command is an insert, sent twice, and the fail point acts at most once.
func TestFailCommandByItsData(t *testing.T) {
	commands := bson.A{"insert", "find"}
	for _, test := range []struct {
		name string
		data bson.D
		want errcode.Code // of the first insert; 0 for success
	}{
		{"errorCode", bson.Doc("failCommands", commands, "errorCode", 91), errcode.ShutdownInProgress},
		{"errorCode as a long", bson.Doc("failCommands", commands, "errorCode", int64(91)), errcode.ShutdownInProgress},
		{"errorCode as a string", bson.Doc("failCommands", commands, "errorCode", "91"), 0},
		{"nothing to do", bson.Doc("failCommands", commands), 0},
		{"closeConnection false", bson.Doc("failCommands", commands, "closeConnection", false), 0},
		{"another command", bson.Doc("failCommands", bson.A{"update"}, "errorCode", 91), 0},
		{"every command", bson.Doc("failAllCommands", true, "errorCode", 91), errcode.ShutdownInProgress},
		{"the namespace", bson.Doc("failCommands", commands, "errorCode", 91, "namespace", "db.c"), errcode.ShutdownInProgress},
		{"another namespace", bson.Doc("failCommands", commands, "errorCode", 91, "namespace", "db.d"), 0},
		{"another application", bson.Doc("failCommands", commands, "errorCode", 91, "appName", "shop"), 0},
		{"a field that no server knows", bson.Doc("failCommands", commands, "errorCode", 91, "wobble", 1), errcode.ShutdownInProgress},
		{"blocked without a time", bson.Doc("failCommands", commands, "blockConnection", true), errcode.InvalidOptions},
		{"blocked for a negative time", bson.Doc("failCommands", commands, "blockConnection", true, "blockTimeMS", -1), errcode.InvalidOptions},
		{"not blocked", bson.Doc("failCommands", commands, "blockConnection", false, "blockTimeMS", 3600000), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t), 0)
			setFailCommand(c, bson.Doc("times", 1), pairs(test.data)...)
			for _, want := range []errcode.Code{test.want, 0} {
				reply := c.run(bson.Doc("insert", "c", "documents", bson.A{bson.D{}}, "$db", "db"))
				checkRefused(t, reply, want)
				if text, _ := reply.Lookup("errmsg").StringOK(); want == errcode.ShutdownInProgress && text != "Failing command via 'failCommand' failpoint" {
					t.Errorf("%q", text)
				}
			}
		})
	}
}

func pairs(doc bson.D) []any {
	var out []any
	for _, e := range doc {
		out = append(out, e.Key, e.Value)
	}
	return out
}

func TestFailCommandDropsAndBlocks(t *testing.T) {
	d := mongotest.Start(t)
	admin := connectRaw(t, d, 0)
	const wait = 30 * time.Millisecond
	blocked := func(began time.Time) {
		t.Helper()
		if took := time.Since(began); took < wait {
			t.Errorf("it took %v", took)
		}
	}
	setFailCommand(admin, bson.Doc("times", 1), "failCommands", bson.A{"ping"}, "blockConnection", true, "blockTimeMS", wait.Milliseconds())
	began := time.Now()
	checkRefused(t, connectRaw(t, d, 0).runAdmin("ping", 1), 0)
	blocked(began)

	setFailCommand(admin, bson.Doc("times", 1), "failCommands", bson.A{"ping"}, "blockConnection", true, "blockTimeMS", wait.Milliseconds(), "errorCode", 8)
	began = time.Now()
	checkRefused(t, connectRaw(t, d, 0).runAdmin("ping", 1), errcode.UnknownError)
	blocked(began)

	setFailCommand(admin, bson.Doc("times", 1), "failCommands", bson.A{"ping"}, "blockConnection", true, "blockTimeMS", wait.Milliseconds(), "closeConnection", true, "errorCode", 8)
	c := connectRaw(t, d, 0)
	began = time.Now()
	if c.send(0, bson.Doc("ping", 1, "$db", "admin")); !c.hangsUp() {
		t.Error("the connection is still open")
	}
	blocked(began)
	checkRefused(t, admin.runAdmin("ping", 1), 0) // the other connections live on
}

// A command that a fail point blocks ends when its maxTimeMS has passed, like any other wait.
func TestFailCommandBlocksUpToMaxTime(t *testing.T) {
	d := mongotest.Start(t)
	admin := connectRaw(t, d, 0)
	setFailCommand(admin, bson.Doc("times", 1), "failCommands", bson.A{"ping"}, "blockConnection", true, "blockTimeMS", 2000)
	checkRefused(t, connectRaw(t, d, 0).runAdmin("ping", 1, "maxTimeMS", 10), errcode.MaxTimeMSExpired)
	checkRefused(t, connectRaw(t, d, 0).runAdmin("ping", 1, "maxTimeMS", 60_000), 0)
}

// An error has the labels in the fail point's data, or else the labels that the server adds.
func TestFailCommandLabels(t *testing.T) {
	lsid := bson.Doc("id", bson.NewUUID())
	for _, test := range []struct {
		name    string
		version string
		data    bson.D
		want    bson.A
	}{
		{"a retryable code", "8.0", bson.Doc("errorCode", 91), bson.A{errcode.LabelRetryableWriteError}},
		{"a retryable code of an old server", "4.2", bson.Doc("errorCode", 91), nil},
		{"another code", "8.0", bson.Doc("errorCode", 8), nil},
		{"named labels", "8.0", bson.Doc("errorCode", 8, "errorLabels", bson.A{"A", "B"}), bson.A{"A", "B"}},
		{"named labels of an old server", "4.2", bson.Doc("errorCode", 8, "errorLabels", bson.A{"A"}), bson.A{"A"}},
		{"no labels", "8.0", bson.Doc("errorCode", 91, "errorLabels", bson.A{}), nil},
		{"a write concern error with a retryable code", "8.0", bson.Doc("writeConcernError", bson.Doc("code", 91, "errmsg", "m")), bson.A{errcode.LabelRetryableWriteError}},
		{"of an old server", "4.2", bson.Doc("writeConcernError", bson.Doc("code", 91, "errmsg", "m")), nil},
		{"with another code", "8.0", bson.Doc("writeConcernError", bson.Doc("code", 64, "errmsg", "m")), nil},
		{"with named labels", "8.0", bson.Doc("writeConcernError", bson.Doc("code", 64, "errmsg", "m"), "errorLabels", bson.A{"A"}), bson.A{"A"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version(test.version)), 0)
			setFailCommand(c, bson.Doc("times", 1), append(pairs(test.data), "failCommands", bson.A{"insert"})...)
			reply := c.run(bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", 1)}, "lsid", lsid, "txnNumber", int64(1), "$db", "db"))
			var got struct {
				OK                float64
				N                 *int32
				ErrorLabels       bson.A `bson:"errorLabels"`
				WriteConcernError bson.D `bson:"writeConcernError"`
			}
			if err := bson.Unmarshal(reply, &got); err != nil {
				t.Fatal(err)
			}
			if len(got.ErrorLabels) != len(test.want) || len(test.want) > 0 && got.ErrorLabels[0] != test.want[0] {
				t.Errorf("%v, want the labels %v", reply, test.want)
			}
			_, expected := test.data.Lookup("writeConcernError")
			if concern := got.WriteConcernError != nil; concern != expected || expected && (got.OK != 1 || got.N == nil || *got.N != 1) {
				t.Errorf("%v", reply)
			}
		})
	}
}

func TestFailCommandExtraInfo(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t), 0)
	setFailCommand(c, bson.Doc("times", 1), "failCommands", bson.A{"ping"}, "errorCode", int32(errcode.DuplicateKey),
		"errorExtraInfo", bson.Doc("keyPattern", bson.Doc("a", 1), "keyValue", bson.Doc("a", 2)))
	reply := c.runAdmin("ping", 1)
	checkRefused(t, reply, errcode.DuplicateKey)
	if n, _ := reply.Lookup("keyValue", "a").AsInt64OK(); n != 2 {
		t.Errorf("%v", reply)
	}
}

// An error that says the node is not the primary includes the topologyVersion. A shutdown error does not, because the
// topologyVersion has not changed yet.
func TestFailCommandAndTopologyVersion(t *testing.T) {
	for _, test := range []struct {
		name   string
		option mongotest.Option
		code   errcode.Code
		want   bool
	}{
		{"not the primary", mongotest.ReplicaSet(1), errcode.NotWritablePrimary, true},
		{"recovering", mongotest.ReplicaSet(1), errcode.NotPrimaryOrSecondary, true},
		{"stepped down", mongotest.ReplicaSet(1), errcode.PrimarySteppedDown, true},
		{"shutdown", mongotest.ReplicaSet(1), errcode.ShutdownInProgress, false},
		{"interrupted at shutdown", mongotest.ReplicaSet(1), errcode.InterruptedAtShutdown, false},
		{"another error", mongotest.ReplicaSet(1), errcode.HostUnreachable, false},
		{"standalone", mongotest.Standalone(), errcode.NotWritablePrimary, false},
		{"mongos", mongotest.Sharded(1), errcode.NotWritablePrimary, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t, test.option), 0)
			setFailCommand(c, "alwaysOn", "failCommands", bson.A{"ping"}, "errorCode", int32(test.code))
			reply := c.runAdmin("ping", 1)
			checkRefused(t, reply, test.code)
			if got := !reply.Lookup("topologyVersion").IsZero(); got != test.want {
				t.Errorf("%v", reply)
			}
		})
	}
}

// Commands fail under each of their names. configureFailPoint never fails.
func TestFailCommandByName(t *testing.T) {
	for _, test := range []struct {
		named string
		run   bson.D
		want  bool
	}{
		{"hello", bson.Doc("hello", 1), true},
		{"hello", bson.Doc("isMaster", 1), false},
		{"isMaster", bson.Doc("ismaster", 1), true},
		{"ismaster", bson.Doc("isMaster", 1), true},
		{"isMaster", bson.Doc("hello", 1), false},
		{"findAndModify", bson.Doc("findandmodify", "c"), true},
		{"dropIndexes", bson.Doc("deleteIndexes", "c", "index", "*"), true},
		{"buildInfo", bson.Doc("buildinfo", 1), true},
		{"saslStart", bson.Doc("saslStart", 1, "mechanism", "PLAIN"), true},
		{"saslContinue", bson.Doc("saslContinue", 1), true},
		{"authenticate", bson.Doc("authenticate", 1), true},
		{"getMore", bson.Doc("getMore", int64(1), "collection", "c"), true},
		{"killCursors", bson.Doc("killCursors", "c", "cursors", bson.A{}), true},
		{"endSessions", bson.Doc("endSessions", bson.A{}), true},
	} {
		c := connectRaw(t, mongotest.Start(t), 0)
		setFailCommand(c, "alwaysOn", "failCommands", bson.A{test.named, "configureFailPoint"}, "errorCode", 8)
		if got := codeOf(c.runAdmin(pairs(test.run)...)) == errcode.UnknownError; got != test.want {
			t.Errorf("%s and %v: %t", test.named, test.run, got)
		}
		setFailCommand(c, "off")
	}
}

// The server knows the application name of a connection from its first hello on. Old servers know it only after they
// have answered that hello.
func TestFailCommandOfAnApplication(t *testing.T) {
	greet := bson.Doc("isMaster", 1, "client", bson.Doc("application", bson.Doc("name", "shop"),
		"driver", bson.Doc("name", "n", "version", "1"), "os", bson.Doc("type", "Linux")), "$db", "admin")
	for version, first := range map[string]errcode.Code{"4.2": 0, "4.4": errcode.UnknownError, "8.0": errcode.UnknownError} {
		t.Run(version, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.Version(version))
			setFailCommand(connectRaw(t, d, 0), "alwaysOn", "failCommands", bson.A{"isMaster", "ping"}, "errorCode", 8, "appName", "shop")
			c := connectRaw(t, d, 0)
			checkRefused(t, c.run(greet), first)
			checkRefused(t, c.runAdmin("ping", 1), errcode.UnknownError)
			checkRefused(t, connectRaw(t, d, 0).runAdmin("ping", 1), 0)
		})
	}
}

// A fail point acts exactly the given number of times, however many connections send commands at once.
func TestFailPointTimesAreExact(t *testing.T) {
	d := mongotest.Start(t)
	c := connectRaw(t, d, 0)
	const times, clients, each = 57, 8, 20
	setFailCommand(c, bson.Doc("times", times), "failCommands", bson.A{"ping"}, "errorCode", 8)
	var failed atomic.Int64
	var wg sync.WaitGroup
	for range clients {
		conn := connectRaw(t, d, 0)
		wg.Go(func() {
			for range each {
				conn.send(0, bson.Doc("ping", 1, "$db", "admin"))
				if reply, err := conn.readMessage(); err != nil {
					t.Error(err)
				} else if codeOf(reply.body) != 0 {
					failed.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if failed.Load() != times {
		t.Errorf("%d failures, want %d", failed.Load(), times)
	}
	if n := setFailCommand(c, "off"); n != times {
		t.Errorf("count %d, want %d", n, times)
	}
}

// A fail point belongs to one node, whatever the topology, and ends with the process.
func TestFailPointsAreOfOneNode(t *testing.T) {
	for name, option := range map[string]mongotest.Option{"replica set": mongotest.ReplicaSet(2), "sharded": mongotest.Sharded(2)} {
		t.Run(name, func(t *testing.T) {
			d := mongotest.Start(t, option)
			setFailCommand(connectRaw(t, d, 1), "alwaysOn", "failCommands", bson.A{"ping"}, "errorCode", 8)
			checkRefused(t, connectRaw(t, d, 0).runAdmin("ping", 1), 0)
			checkRefused(t, connectRaw(t, d, 1).runAdmin("ping", 1), errcode.UnknownError)
			d.Kill(1)
			if err := d.Restart(1); err != nil {
				t.Fatal(err)
			}
			c := connectRaw(t, d, 1)
			checkRefused(t, c.runAdmin("ping", 1), 0)
			if n := setFailCommand(c, "off"); n != 0 {
				t.Errorf("the new process has a count of %d", n)
			}
		})
	}
}

// A server labels an error after which no change stream can resume, whatever the command.
func TestHopelessErrorsAreLabelled(t *testing.T) {
	for _, test := range []struct {
		shape mongotest.Option
		code  errcode.Code
		want  bool
	}{
		{mongotest.Standalone(), errcode.ChangeStreamFatalError, true},
		{mongotest.ReplicaSet(1), errcode.ChangeStreamFatalError, true},
		{mongotest.ReplicaSet(1), errcode.ChangeStreamHistoryLost, true},
		{mongotest.ReplicaSet(1), errcode.CursorKilled, false},
	} {
		c := connectRaw(t, mongotest.Start(t, test.shape), 0)
		setFailCommand(c, bson.Doc("times", 1), "failCommands", bson.A{"ping"}, "errorCode", int32(test.code))
		reply := c.runAdmin("ping", 1)
		checkRefused(t, reply, test.code)
		label, _ := reply.Lookup("errorLabels", "0").StringOK()
		if labelled := label == errcode.LabelNonResumableChangeStreamError; labelled != test.want {
			t.Errorf("%s", reply)
		}
	}
}
