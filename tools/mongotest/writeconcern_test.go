package mongotest_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

var bareKey = regexp.MustCompile(`([{,]\s*)([A-Za-z_$][\w.$]*)\s*:`)

// parseExtJSON reads extended JSON that may have single quotes and bare keys.
func parseExtJSON(t testing.TB, s string) bson.Raw {
	t.Helper()
	quoted := bareKey.ReplaceAllString(strings.ReplaceAll(s, "'", `"`), `$1"$2":`)
	d, err := bson.ExtJSONToRaw([]byte(quoted), false)
	if err != nil {
		t.Fatalf("%v in %s", err, s)
	}
	return d
}

// runInDB runs a command, written as extended JSON, on the database db.
func (c *rawConn) runInDB(command string) bson.Raw {
	c.t.Helper()
	return c.run(parseInDB(c.t, command))
}

func parseInDB(t testing.TB, command string) bson.Raw {
	d := parseExtJSON(t, command)
	return bson.AppendDocumentEnd(bson.AppendStringElement(append(bson.Raw(nil), d[:len(d)-1]...), "$db", "db"), 0)
}

// awaitPrimary waits until there is a primary, and connects to it.
func awaitPrimary(t testing.TB, d *mongotest.Deployment) *rawConn {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if p := d.Primary(); p >= 0 {
			return connectRaw(t, d, p)
		}
		<-time.After(time.Millisecond)
	}
	t.Fatal("nobody was elected")
	return nil
}

// checkSame compares a value with extended JSON; "" means that there is no value.
func checkSame(t testing.TB, what string, got bson.RawValue, want string) {
	t.Helper()
	if want == "" {
		if !got.IsZero() {
			t.Errorf("%s is %v, want none", what, got)
		}
		return
	}
	if w := parseExtJSON(t, "{v:"+want+"}").Lookup("v"); !got.Equal(w) {
		t.Errorf("%s is\n%v, want\n%v", what, got, w)
	}
}

const supplied = `provenance:'clientSupplied'`

// Each case is a write with a write concern on a set where some members may be behind or down.
func TestWriteConcernOfReplicaSet(t *testing.T) {
	tags := func(d *mongotest.Deployment) {
		d.Reconfigure(mongotest.Member{Node: 0, Priority: 1, Tags: map[string]string{"dc": "ny"}},
			mongotest.Member{Node: 1, Priority: 1, Tags: map[string]string{"dc": "ny"}},
			mongotest.Member{Node: 2, Priority: 1, Tags: map[string]string{"dc": "sf"}})
	}
	arbiter := func(d *mongotest.Deployment) {
		d.Reconfigure(mongotest.Member{Node: 0, Priority: 1}, mongotest.Member{Node: 1, Priority: 1}, mongotest.Member{Node: 2, Arbiter: true})
	}
	lag := func(members ...int) func(*mongotest.Deployment) {
		return func(d *mongotest.Deployment) {
			for _, m := range members {
				d.Lag(m, 1)
			}
		}
	}
	kill := func(d *mongotest.Deployment) { d.Kill(2) }
	cut := func(d *mongotest.Deployment) { d.Partition(1, time.Hour) }
	for _, test := range []struct {
		name, version string
		scene         func(*mongotest.Deployment)
		concern       string
		code          errcode.Code
		codeName      string
		errmsg, info  string
	}{
		{"majority", "8.0", nil, `{w:'majority'}`, 0, "", "", ""},
		{"all", "8.0", nil, `{w:3,j:true}`, 0, "", "", ""},
		{"more than there are", "8.0", nil, `{w:4}`, 100, "UnsatisfiableWriteConcern", "Not enough data-bearing nodes", `{writeConcern:{w:4,wtimeout:0,` + supplied + `}}`},
		{"more than there are, 4.2", "4.2", nil, `{w:4}`, 100, "CannotSatisfyWriteConcern", "Not enough data-bearing nodes", ""},
		{"an arbiter has no data", "8.0", arbiter, `{w:3}`, 100, "UnsatisfiableWriteConcern", "Not enough data-bearing nodes", `{writeConcern:{w:3,wtimeout:0,` + supplied + `}}`},
		{"no such mode", "8.0", nil, `{w:'dcs',wtimeout:5}`, 79, "UnknownReplWriteConcern", "No write concern mode named 'dcs' found in replica set configuration", `{writeConcern:{w:'dcs',wtimeout:5,` + supplied + `}}`},
		{"a mode", "8.0", tags, `{w:'both'}`, 0, "", "", ""},
		{"a mode that the tags cannot give", "8.0", nil, `{w:'both'}`, 100, "UnsatisfiableWriteConcern", `Not enough nodes match write concern mode "both"`, `{writeConcern:{w:'both',wtimeout:0,` + supplied + `}}`},
		{"a mode that is behind", "7.0", func(d *mongotest.Deployment) { tags(d); d.Lag(2, 1) }, `{w:'both',wtimeout:5,j:false}`, 64, "WriteConcernFailed", "waiting for replication timed out", `{wtimeout:true,writeConcern:{w:'both',j:false,wtimeout:5,` + supplied + `}}`},
		{"tags of the command", "6.0", tags, `{w:{dc:2}}`, 0, "", "", ""},
		{"one member is behind", "8.0", lag(2), `{w:'majority'}`, 0, "", "", ""},
		{"one of all is behind", "8.0", lag(2), `{w:3,wtimeout:5}`, 64, "WriteConcernTimeout", "waiting for replication timed out", `{wtimeout:true,writeConcern:{w:3,wtimeout:5,` + supplied + `}}`},
		{"the majority is behind", "4.4", lag(1, 2), `{w:'majority',wtimeout:5}`, 64, "WriteConcernFailed", "waiting for replication timed out", `{wtimeout:true,writeConcern:{w:'majority',wtimeout:5,` + supplied + `}}`},
		{"the majority is behind, 4.2", "4.2", lag(1, 2), `{w:'majority',wtimeout:5}`, 64, "WriteConcernFailed", "waiting for replication timed out", `{wtimeout:true}`},
		{"the majority is behind, by default", "5.0", lag(1, 2), `{wtimeout:5}`, 64, "WriteConcernFailed", "waiting for replication timed out", `{wtimeout:true,writeConcern:{w:'majority',wtimeout:5,` + supplied + `}}`},
		{"the majority is behind, not by default", "4.4", lag(1, 2), `{wtimeout:5}`, 0, "", "", ""},
		{"the default with an arbiter", "8.0", func(d *mongotest.Deployment) { arbiter(d); d.Lag(1, 1) }, `{wtimeout:5}`, 0, "", "", ""},
		{"a majority of the members with data", "8.0", func(d *mongotest.Deployment) { arbiter(d); d.Lag(1, 1) }, `{w:'majority',wtimeout:5}`, 64, "WriteConcernTimeout", "waiting for replication timed out", `{wtimeout:true,writeConcern:{w:'majority',wtimeout:5,` + supplied + `}}`},
		{"a dead member", "8.0", kill, `{w:3,wtimeout:5}`, 64, "WriteConcernTimeout", "waiting for replication timed out", `{wtimeout:true,writeConcern:{w:3,wtimeout:5,` + supplied + `}}`},
		{"a majority without the dead", "8.0", kill, `{w:'majority'}`, 0, "", "", ""},
		{"a member that is cut off", "8.0", cut, `{w:3,wtimeout:5}`, 64, "WriteConcernTimeout", "waiting for replication timed out", `{wtimeout:true,writeConcern:{w:3,wtimeout:5,` + supplied + `}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Version(test.version), mongotest.WriteConcernMode("both", map[string]int{"dc": 2}))
			if test.scene != nil {
				test.scene(d)
			}
			reply := awaitPrimary(t, d).runInDB(`{insert:'c',documents:[{_id:1}],writeConcern:` + test.concern + `}`)
			if n, _ := reply.Lookup("n").AsInt64OK(); n != 1 || codeOf(reply) != 0 {
				t.Fatalf("%v", reply)
			}
			got := reply.Lookup("writeConcernError")
			if test.code == 0 {
				checkSame(t, "writeConcernError", got, "")
				return
			}
			info := ""
			if test.info != "" {
				info = ",errInfo:" + test.info
			}
			want := parseExtJSON(t, fmt.Sprintf("{code:%d,codeName:'%s'%s}", test.code, test.codeName, info))
			failure, _ := got.DocumentOK()
			message, _ := failure.Lookup("errmsg").StringOK()
			if message != test.errmsg {
				t.Errorf("errmsg %q, want %q", message, test.errmsg)
			}
			for key, v := range want.All() {
				if !failure.Lookup(key).Equal(v) {
					t.Errorf("%s is %v, want %v", key, failure.Lookup(key), v)
				}
			}
			checkSame(t, "errorLabels", reply.Lookup("errorLabels"), "")
		})
	}
}

// A write concern that no server accepts fails the command before it writes.
func TestWriteConcernThatIsRefused(t *testing.T) {
	for _, test := range []struct {
		name, version string
		kind          mongotest.Option
		command       string
		code          errcode.Code
		text          string
	}{
		{"standalone, two", "8.0", mongotest.Standalone(), `{insert:'c',documents:[{}],writeConcern:{w:2}}`, errcode.BadValue, "cannot use 'w' > 1 when a host is not replicated"},
		{"standalone, a mode", "8.0", mongotest.Standalone(), `{insert:'c',documents:[{}],writeConcern:{w:'dc'}}`, errcode.BadValue, "cannot use non-majority 'w' mode"},
		{"standalone, majority", "8.0", mongotest.Standalone(), `{insert:'c',documents:[{}],writeConcern:{w:'majority',j:true}}`, 0, ""},
		{"negative", "8.0", mongotest.ReplicaSet(1), `{insert:'c',documents:[{}],writeConcern:{w:-1}}`, errcode.FailedToParse, "w has to be a non-negative number and not greater than 50"},
		{"fifty-one", "4.2", mongotest.ReplicaSet(1), `{delete:'c',deletes:[{q:{},limit:0}],writeConcern:{w:51}}`, errcode.FailedToParse, "not greater than 50"},
		{"tags, too early", "5.0", mongotest.ReplicaSet(1), `{insert:'c',documents:[{}],writeConcern:{w:{dc:1}}}`, errcode.FailedToParse, "w has to be a number or a string"},
		{"a boolean", "8.0", mongotest.ReplicaSet(1), `{insert:'c',documents:[{}],writeConcern:{w:true}}`, errcode.FailedToParse, "w has to be a number, string, or object"},
		{"journal and files", "8.0", mongotest.ReplicaSet(1), `{insert:'c',documents:[{}],writeConcern:{j:true,fsync:true}}`, errcode.FailedToParse, "fsync and j options cannot be used together"},
		{"j of a string", "8.0", mongotest.ReplicaSet(1), `{insert:'c',documents:[{}],writeConcern:{j:'yes'}}`, errcode.FailedToParse, "j must be numeric or a boolean value"},
		{"unknown field", "4.4", mongotest.ReplicaSet(1), `{insert:'c',documents:[{}],writeConcern:{x:1}}`, errcode.FailedToParse, "unrecognized write concern field: x"},
		{"unknown field, 5.0", "5.0", mongotest.ReplicaSet(1), `{insert:'c',documents:[{}],writeConcern:{x:1}}`, 40415, "BSON field 'writeConcern.x' is an unknown field."},
		{"no document", "8.0", mongotest.ReplicaSet(1), `{insert:'c',documents:[{}],writeConcern:1}`, errcode.TypeMismatch, ""},
		{"a read", "8.0", mongotest.ReplicaSet(1), `{find:'c',writeConcern:{w:1}}`, errcode.InvalidOptions, "Command does not support writeConcern"},
		{"an aggregate", "8.0", mongotest.ReplicaSet(1), `{aggregate:'c',pipeline:[],cursor:{},writeConcern:{w:1}}`, 0, ""},
		{"empty", "8.0", mongotest.ReplicaSet(1), `{insert:'c',documents:[{}],writeConcern:{}}`, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t, test.kind, mongotest.Version(test.version)), 0)
			reply := c.runInDB(test.command)
			text, _ := reply.Lookup("errmsg").StringOK()
			if codeOf(reply) != test.code || !strings.Contains(text, test.text) {
				t.Errorf("%v, want code %d, %q", reply, test.code, test.text)
			}
			if n, _ := c.runInDB(`{count:'c'}`).Lookup("n").AsInt64OK(); n > 0 && test.code != 0 {
				t.Errorf("%d documents were written", n)
			}
		})
	}
}

// Each shard behind a router has three members.
func TestWriteConcernOfRouters(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.Sharded(1)), 0)
	for concern, want := range map[string]int64{`{w:3}`: 0, `{w:'majority'}`: 0, `{w:4}`: 100, `{w:'dc'}`: 79} {
		reply := c.runInDB(`{insert:'c',documents:[{}],writeConcern:` + concern + `}`)
		if code, _ := reply.Lookup("writeConcernError", "code").AsInt64OK(); code != want {
			t.Errorf("%s: %v", concern, reply)
		}
	}
}

// startWaiting starts a write that waits for two lagging members, and returns when the write is applied.
func startWaiting(t *testing.T, version, concern, more string) (*mongotest.Deployment, *rawConn) {
	t.Helper()
	d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Version(version))
	d.Lag(1, 100)
	d.Lag(2, 100)
	c, other := connectRaw(t, d, 0), connectRaw(t, d, 0)
	c.send(0, parseInDB(t, `{insert:'c',documents:[{_id:1}],writeConcern:`+concern+more+`}`))
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if n, _ := other.runInDB(`{count:'c'}`).Lookup("n").AsInt64OK(); n == 1 {
			return d, c
		}
	}
	t.Fatal("the write was not done")
	return nil, nil
}

// killWrites kills the inserts that are waiting on the primary.
func killWrites(t *testing.T, d *mongotest.Deployment) {
	c := connectRaw(t, d, 0)
	ops, _ := c.runAdmin("currentOp", 1).Lookup("inprog").ArrayOK()
	for _, op := range ops.All() {
		if bson.Raw(op.Value).Lookup("command", "insert").IsZero() {
			continue
		}
		id, _ := bson.Raw(op.Value).Lookup("opid").AsInt64OK()
		checkRefused(t, c.runAdmin("killOp", 1, "op", id), 0)
	}
}

// The wait for a write concern ends when members catch up, when the primary steps down, and when maxTimeMS expires.
func TestWaitForWriteConcernEnds(t *testing.T) {
	const session = `,lsid:{id:{$binary:{base64:'AAECAwQFBgcICQoLDA0ODw==',subType:'04'}}},txnNumber:{$numberLong:'1'}`
	for _, test := range []struct {
		name, version, more string
		end                 func(*mongotest.Deployment)
		code                errcode.Code
		text, labels        string
	}{
		{"a member catches up", "8.0", "", func(d *mongotest.Deployment) { d.Lag(1, 0) }, 0, "", ""},
		{"step down", "8.0", "", func(d *mongotest.Deployment) { d.StepDown() }, errcode.PrimarySteppedDown, "Primary stepped down while waiting for replication", ""},
		{"step down of a retryable write", "8.0", session, func(d *mongotest.Deployment) { d.StepDown() }, errcode.PrimarySteppedDown, "Primary stepped down", `['RetryableWriteError']`},
		{"step down of a retryable write, 4.2", "4.2", session, func(d *mongotest.Deployment) { d.StepDown() }, errcode.PrimarySteppedDown, "Primary stepped down", ""},
		{"the others die", "8.0", "", func(d *mongotest.Deployment) { d.Kill(1); d.Kill(2) }, errcode.PrimarySteppedDown, "Primary stepped down", ""},
		{"killOp", "8.0", "", func(d *mongotest.Deployment) { killWrites(t, d) }, errcode.Interrupted, "operation was interrupted", ""},
		{"maxTimeMS", "8.0", ",maxTimeMS:40", func(*mongotest.Deployment) {}, errcode.MaxTimeMSExpired, "operation exceeded time limit", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, c := startWaiting(t, test.version, `{w:'majority'}`, test.more)
			test.end(d)
			reply := c.receive().body
			code, _ := reply.Lookup("writeConcernError", "code").AsInt64OK()
			text, _ := reply.Lookup("writeConcernError", "errmsg").StringOK()
			if codeOf(reply) != 0 || code != int64(test.code) || !strings.Contains(text, test.text) {
				t.Errorf("%v, want code %d", reply, test.code)
			}
			checkSame(t, "errorLabels", reply.Lookup("errorLabels"), test.labels)
			changed := test.code == errcode.PrimarySteppedDown && test.version != "4.2"
			if has := !reply.Lookup("topologyVersion").IsZero(); has != changed {
				t.Errorf("topologyVersion is there: %v", has)
			}
		})
	}
}

// A retry does not wait for the command that it repeats, because a driver may have given up on it.
func TestRetryWhileTheFirstWaits(t *testing.T) {
	const retry = `{insert:'c',documents:[{_id:1}],writeConcern:{w:1},lsid:{id:{$binary:{base64:'AAECAwQFBgcICQoLDA0ODw==',subType:'04'}}},txnNumber:{$numberLong:'1'}}`
	d, _ := startWaiting(t, "8.0", `{w:'majority'}`, `,lsid:{id:{$binary:{base64:'AAECAwQFBgcICQoLDA0ODw==',subType:'04'}}},txnNumber:{$numberLong:'1'}`)
	reply := connectRaw(t, d, 0).runInDB(retry)
	checkSame(t, "n", reply.Lookup("n"), "1")
	checkSame(t, "retriedStmtIds", reply.Lookup("retriedStmtIds"), "[0]")
}

// An unacknowledged write that asks for an answer gets one without any results.
func TestUnacknowledgedWriteWithAnswer(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
	for command, want := range map[string]string{
		`{insert:'c',documents:[{_id:1},{_id:1}],writeConcern:{w:0}}`:     "",
		`{update:'c',updates:[{q:{},u:{$set:{a:1}}}],writeConcern:{w:0}}`: "",
		`{delete:'c',deletes:[{q:{},limit:1}],writeConcern:{w:0}}`:        "",
		`{insert:'d',documents:[{_id:1}],writeConcern:{w:0,j:true}}`:      "1",
	} {
		reply := c.runInDB(command)
		if codeOf(reply) != 0 {
			t.Errorf("%v", reply)
		}
		checkSame(t, command, reply.Lookup("n"), want)
		checkSame(t, command, reply.Lookup("writeErrors"), "")
	}
}
