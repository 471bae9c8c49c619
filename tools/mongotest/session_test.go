package mongotest_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

func newLSID() bson.D { return bson.Doc("id", bson.NewUUID()) }

// A server refuses session fields with a wrong type, and fields that exclude each other.
func TestSessionFieldsThatAreRefused(t *testing.T) {
	set := mongotest.Start(t, mongotest.ReplicaSet(1))
	insert := bson.Doc("insert", "c", "documents", bson.A{bson.D{}})
	find := bson.Doc("find", "c")
	ping := bson.Doc("ping", 1)
	lsid := newLSID()
	one := int64(1)
	for _, test := range []struct {
		name    string
		command bson.D
		fields  bson.D
		want    errcode.Code
		text    string
	}{
		{"a session", find, bson.Doc("lsid", lsid), 0, ""},
		{"a number for a session", find, bson.Doc("lsid", 1), errcode.TypeMismatch, "BSON field 'OperationSessionInfo.lsid' is the wrong type 'int', expected type 'object'"},
		{"no id", find, bson.Doc("lsid", bson.D{}), errcode.Location40414, "BSON field 'OperationSessionInfo.lsid.id' is missing but a required field"},
		{"an id that is text", find, bson.Doc("lsid", bson.Doc("id", "x")), errcode.TypeMismatch, "BSON field 'OperationSessionInfo.lsid.id' is the wrong type 'string', expected type 'binData'"},
		{"an id that is no UUID", find, bson.Doc("lsid", bson.Doc("id", bson.Binary{Subtype: 1, Data: make([]byte, 16)})), errcode.TypeMismatch, "BSON field 'OperationSessionInfo.lsid.id' is the wrong binData type 'function', expected type 'UUID'"},
		{"a short UUID", find, bson.Doc("lsid", bson.Doc("id", bson.Binary{Subtype: 4})), errcode.InvalidUUID, "uuid must be a 16-byte binary field with UUID (4) subtype"},
		{"an unknown field", find, bson.Doc("lsid", append(newLSID(), bson.E{Key: "x", Value: 1})), errcode.Location40415, "BSON field 'OperationSessionInfo.lsid.x' is an unknown field."},
		{"a retryable write", insert, bson.Doc("lsid", lsid, "txnNumber", one), 0, ""},
		{"an int for a number", insert, bson.Doc("lsid", lsid, "txnNumber", int32(1)), errcode.TypeMismatch, "BSON field 'OperationSessionInfo.txnNumber' is the wrong type 'int', expected type 'long'"},
		{"a negative number", insert, bson.Doc("lsid", lsid, "txnNumber", int64(-1)), errcode.InvalidOptions, "Transaction number cannot be negative"},
		{"a number without a session", insert, bson.Doc("txnNumber", one), errcode.InvalidOptions, "Transaction number requires a session ID to also be specified"},
		{"a number for a read", find, bson.Doc("lsid", lsid, "txnNumber", one), errcode.NotARetryableWriteCommand, "txnNumber may only be provided for multi-document transactions and retryable write commands. autocommit:false was not provided, and find is not a retryable write command."},
		{"autocommit of a wrong type", insert, bson.Doc("lsid", lsid, "txnNumber", one, "autocommit", 0), errcode.TypeMismatch, "BSON field 'OperationSessionInfo.autocommit' is the wrong type 'int', expected type 'bool'"},
		{"autocommit without a number", insert, bson.Doc("lsid", lsid, "autocommit", false), errcode.InvalidOptions, "'autocommit' field requires a transaction number to also be specified"},
		{"autocommit without a session", insert, bson.Doc("autocommit", false), errcode.InvalidOptions, "'autocommit' field requires a transaction number to also be specified"},
		{"autocommit", insert, bson.Doc("lsid", lsid, "txnNumber", one, "autocommit", true), errcode.InvalidOptions, "Specifying autocommit=true is not allowed."},
		{"startTransaction alone", insert, bson.Doc("lsid", lsid, "txnNumber", one, "startTransaction", true), errcode.InvalidOptions, "'startTransaction' field requires 'autocommit' field to also be specified"},
		{"startTransaction of false", insert, bson.Doc("lsid", lsid, "txnNumber", one, "autocommit", false, "startTransaction", false), errcode.InvalidOptions, "Specifying startTransaction=false is not allowed."},
		{"a session for a ping", ping, bson.Doc("lsid", lsid), 0, ""},
		{"a number for a ping", ping, bson.Doc("lsid", lsid, "txnNumber", one), errcode.Location50889, "It is illegal to provide a txnNumber for this command"},
		{"autocommit for a ping", ping, bson.Doc("lsid", lsid, "txnNumber", one, "autocommit", false), errcode.OperationNotSupportedInTransaction, "This command is not supported in transactions"},
	} {
		t.Run(test.name, func(t *testing.T) {
			doc := append(append(append(bson.D{}, test.command...), test.fields...), bson.E{Key: "$db", Value: "admin"})
			reply := connectRaw(t, set, 0).run(doc)
			checkRefused(t, reply, test.want)
			if text, _ := reply.Lookup("errmsg").StringOK(); text != test.text {
				t.Errorf("%q, want %q", text, test.text)
			}
		})
	}
	alone := connectRaw(t, mongotest.Start(t), 0)
	checkRefused(t, alone.run(append(insert, pairsOf("lsid", lsid, "txnNumber", one, "$db", "db")...)), errcode.IllegalOperation)
}

func pairsOf(kv ...any) bson.D { return bson.Doc(kv...) }

// The commands on sessions take different arguments.
func TestSessionCommandsByTheirArguments(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
	for _, name := range []string{"endSessions", "refreshSessions", "killSessions"} {
		for _, test := range []struct {
			name  string
			value any
			want  errcode.Code
		}{
			{"none", bson.A{}, 0},
			{"two", bson.A{newLSID(), newLSID()}, 0},
			{"no array", 1, errcode.TypeMismatch},
			{"no document", bson.A{1}, errcode.TypeMismatch},
			{"no id", bson.A{bson.D{}}, errcode.Location40414},
			{"a wrong id", bson.A{bson.Doc("id", 1)}, errcode.TypeMismatch},
		} {
			t.Run(name+" "+test.name, func(t *testing.T) { checkRefused(t, c.runAdmin(name, test.value), test.want) })
		}
	}
	checkRefused(t, c.runAdmin("killAllSessions", 1), errcode.TypeMismatch)
	checkRefused(t, c.runAdmin("killAllSessions", bson.A{}), 0)
	reply := c.runAdmin("startSession", 1)
	if _, id, _ := reply.Lookup("id", "id").BinaryOK(); len(id) != 16 {
		t.Errorf("%v", reply)
	}
}

// A session remembers its retryable write until it is ended, or unused for half an hour. Its cursors end with it.
func TestSessionsEnd(t *testing.T) {
	for _, test := range []struct {
		name  string
		how   func(c *rawConn, lsid bson.D, pass func(time.Duration))
		known bool // the write is remembered
		open  bool // the cursor is open
	}{
		{"used", func(*rawConn, bson.D, func(time.Duration)) {}, true, true},
		{"ended", func(c *rawConn, lsid bson.D, _ func(time.Duration)) { c.runAdmin("endSessions", bson.A{lsid}) }, false, false},
		{"another one ended", func(c *rawConn, _ bson.D, _ func(time.Duration)) { c.runAdmin("endSessions", bson.A{newLSID()}) }, true, true},
		{"killed", func(c *rawConn, lsid bson.D, _ func(time.Duration)) { c.runAdmin("killSessions", bson.A{lsid}) }, true, false},
		{"all killed", func(c *rawConn, _ bson.D, _ func(time.Duration)) { c.runAdmin("killAllSessions", bson.A{}) }, false, false},
		{"unused for 29 minutes", func(c *rawConn, _ bson.D, pass func(time.Duration)) {
			pass(29 * time.Minute)
		}, true, true},
		{"unused for 31 minutes", func(c *rawConn, _ bson.D, pass func(time.Duration)) {
			pass(31 * time.Minute)
		}, false, false},
		{"refreshed", func(c *rawConn, lsid bson.D, pass func(time.Duration)) {
			pass(20 * time.Minute)
			c.runAdmin("refreshSessions", bson.A{lsid})
			pass(20 * time.Minute)
		}, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var passed atomic.Int64
			began := time.Now()
			d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Clock(func() time.Time { return began.Add(time.Duration(passed.Load())) }))
			c := connectRaw(t, d, 0)
			lsid := newLSID()
			write := insertOne(1, "lsid", lsid, "txnNumber", int64(1))
			checkRefused(t, c.run(write), 0)
			checkRefused(t, c.run(insertOne(2)), 0)
			cursor, _ := c.run(bson.Doc("find", "c", "batchSize", 1, "lsid", lsid, "$db", "db")).Lookup("cursor", "id").Int64OK()
			test.how(c, lsid, func(d time.Duration) { passed.Add(int64(d)); c.runAdmin("refreshSessions", bson.A{newLSID()}) })
			want := errcode.Code(0)
			if !test.open {
				want = errcode.CursorNotFound
			}
			checkRefused(t, c.run(bson.Doc("getMore", cursor, "collection", "c", "lsid", lsid, "$db", "db")), want)
			again := c.run(write)
			if known := again.Lookup("writeErrors").IsZero(); known != test.known {
				t.Errorf("the retry is answered with %v", again)
			}
		})
	}
}

// A parameter sets the session timeout, and hello reports it.
func TestSessionTimeoutIsAParameter(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.Parameter("localLogicalSessionTimeoutMinutes", 5)), 0)
	for _, reply := range []bson.Raw{c.runAdmin("hello", 1), c.runAdmin("startSession", 1)} {
		minutes, ok := reply.Lookup("logicalSessionTimeoutMinutes").Int32OK()
		if !ok {
			minutes, _ = reply.Lookup("timeoutMinutes").Int32OK()
		}
		if minutes != 5 {
			t.Errorf("%v", reply)
		}
	}
}

// The server refuses an older transaction number. The same number means the same write.
func TestTransactionNumbersGrow(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
	lsid := newLSID()
	for _, step := range []struct {
		id     int
		number int64
		want   errcode.Code
	}{{1, 5, 0}, {1, 5, 0}, {2, 4, errcode.TransactionTooOld}, {3, 6, 0}, {1, 5, errcode.TransactionTooOld}} {
		checkRefused(t, c.run(insertOne(step.id, "lsid", lsid, "txnNumber", step.number)), step.want)
	}
	if n, _ := c.run(bson.Doc("count", "c", "$db", "db")).Lookup("n").AsInt64OK(); n != 2 {
		t.Errorf("%d documents", n)
	}
}

// $listLocalSessions lists each session once, with its last use.
func TestListLocalSessions(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
	lsid := newLSID()
	for range 2 {
		c.run(bson.Doc("find", "c", "lsid", lsid, "$db", "db"))
	}
	reply := c.runAdmin("aggregate", 1, "pipeline", bson.A{bson.Doc("$listLocalSessions", bson.D{})}, "cursor", bson.D{})
	var got struct {
		Cursor struct {
			FirstBatch []struct {
				ID struct {
					ID  bson.UUID
					UID []byte
				} `bson:"_id"`
				LastUse time.Time `bson:"lastUse"`
			} `bson:"firstBatch"`
		}
	}
	if err := bson.Unmarshal(reply, &got); err != nil {
		t.Fatal(err)
	}
	batch := got.Cursor.FirstBatch
	if len(batch) != 1 || batch[0].ID.ID != lsid[0].Value || len(batch[0].ID.UID) != 32 || time.Since(batch[0].LastUse) > patience {
		t.Errorf("%v", reply)
	}
}

// $listLocalSessions lists the sessions of the user who runs it, of the users that it names, or of all users.
func TestListLocalSessionsOfUsers(t *testing.T) {
	user := func(name string) mongotest.Option {
		return mongotest.WithUser(mongotest.User{Name: name, DB: "$external", Password: "x"})
	}
	d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.RequireAuth(), user("ada"), user("bob"))
	conns := map[string]*rawConn{}
	for _, name := range []string{"ada", "bob"} {
		c := connectRaw(t, d, 0)
		checkRefused(t, c.run(bson.Doc("saslStart", 1, "mechanism", "PLAIN", "payload", bson.Binary{Data: []byte("\x00" + name + "\x00x")}, "$db", "$external")), 0)
		checkRefused(t, c.runAdmin("ping", 1, "lsid", newLSID()), 0)
		conns[name] = c
	}
	checkRefused(t, conns["bob"].runAdmin("ping", 1, "lsid", newLSID()), 0)
	of := func(name, db string) bson.D { return bson.Doc("user", name, "db", db) }
	for _, test := range []struct {
		name string
		spec bson.D
		want int
	}{
		{"ada", bson.D{}, 1},
		{"bob", bson.D{}, 2},
		{"bob", bson.Doc("allUsers", false), 2},
		{"bob", bson.Doc("allUsers", true), 3},
		{"bob", bson.Doc("users", bson.A{}), 2},
		{"bob", bson.Doc("users", bson.A{of("ada", "$external")}), 1},
		{"bob", bson.Doc("users", bson.A{of("ada", "admin")}), 0},
		{"ada", bson.Doc("users", bson.A{of("ada", "$external"), of("bob", "$external")}), 3},
	} {
		reply := conns[test.name].runAdmin("aggregate", 1, "pipeline", bson.A{bson.Doc("$listLocalSessions", test.spec), bson.Doc("$count", "n")}, "cursor", bson.D{})
		checkRefused(t, reply, 0)
		if n, _ := reply.Lookup("cursor", "firstBatch", "0", "n").AsInt64OK(); n != int64(test.want) {
			t.Errorf("%s asks for %v: %v, want %d", test.name, test.spec, reply, test.want)
		}
	}
}

// With authentication, a session belongs to one user.
func TestSessionsBelongToUsers(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.RequireAuth(),
		mongotest.WithUser(mongotest.User{Name: "ada", DB: "$external", Password: "x"}),
		mongotest.WithUser(mongotest.User{Name: "bob", DB: "$external", Password: "x"}))
	login := func(name string) *rawConn {
		c := connectRaw(t, d, 0)
		reply := c.run(bson.Doc("saslStart", 1, "mechanism", "PLAIN", "payload", bson.Binary{Data: []byte("\x00" + name + "\x00x")}, "$db", "$external"))
		checkRefused(t, reply, 0)
		return c
	}
	ada, bob := login("ada"), login("bob")
	lsid := newLSID()
	write := insertOne(1, "lsid", lsid, "txnNumber", int64(1))
	checkRefused(t, ada.run(write), 0)
	if reply := bob.run(write); reply.Lookup("writeErrors").IsZero() {
		t.Errorf("another user's session is answered: %v", reply)
	}
	bob.runAdmin("endSessions", bson.A{lsid})
	if reply := ada.run(write); !reply.Lookup("writeErrors").IsZero() {
		t.Errorf("another user ended the session: %v", reply)
	}
	bob.runAdmin("killAllSessions", bson.A{bson.Doc("user", "ada", "db", "$external")})
	if reply := ada.run(write); reply.Lookup("writeErrors").IsZero() {
		t.Errorf("the session of the user was not killed: %v", reply)
	}
	// Without a user there is no session.
	checkRefused(t, connectRaw(t, d, 0).runAdmin("ping", 1, "lsid", lsid), 0)
	checkRefused(t, connectRaw(t, d, 0).run(write), errcode.Unauthorized)
}
