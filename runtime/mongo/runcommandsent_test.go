package mongo_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

func TestRunCommandSelectsAsARead(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	client, events := connectRecorded(t, d, &options.Client{
		ReadPreference: &options.ReadPreference{Mode: options.Secondary},
		ReadConcern:    &options.ReadConcern{Level: "majority"}, WriteConcern: &options.WriteConcern{W: 2},
	})
	primary := d.Hosts()[d.Primary()]
	command := encodeReply(t, "ping", 1)
	before := append(bson.Raw(nil), command...)
	db := client.Database("shop")
	if err := db.RunCommand(t.Context(), command).Err(); err != nil {
		t.Fatal(err)
	}
	if err := db.RunCommand(t.Context(), command, &options.RunCommand{
		ReadPreference: &options.ReadPreference{Mode: options.Secondary},
	}).Err(); err != nil {
		t.Fatal(err)
	}
	sent := events.commands("ping")
	if host(sent[0].ConnectionID) != primary {
		t.Errorf("without a read preference the command went to %s, not to the primary", sent[0].ConnectionID)
	}
	if host(sent[1].ConnectionID) == primary {
		t.Error("with the read preference secondary the command went to the primary")
	}
	if mode, _ := sent[1].Command.Lookup("$readPreference", "mode").StringOK(); mode != "secondary" {
		t.Errorf("sent %v", sent[1].Command)
	}
	for _, field := range []string{"readConcern", "writeConcern"} {
		if !sent[0].Command.Lookup(field).IsZero() {
			t.Errorf("the command inherited a %s", field)
		}
	}
	if string(before) != string(command) {
		t.Error("the caller's document was changed")
	}
	// Run Command, "RunCommand implementation details": the driver does not look for its own fields in the command.
	own := bson.Doc("ping", 1, "$db", "other")
	db.RunCommand(t.Context(), own) // whatever a server makes of it
	if sent := events.commands("ping"); !sent[len(sent)-1].Command.Lookup("$db").Equal(encodeReply(t, "$db", "other").Lookup("$db")) {
		t.Errorf("sent %v", sent[len(sent)-1].Command)
	}
}

func TestReadPreferenceThatIsSent(t *testing.T) {
	tags := []options.TagSet{{{Name: "dc", Value: "ny"}}, {}}
	tests := []struct {
		name  string
		shape mongotest.Option
		rp    *options.ReadPreference
		want  string // extended JSON, empty for none
	}{
		{"none", mongotest.ReplicaSet(1), nil, ``},
		{"primary", mongotest.Sharded(1), &options.ReadPreference{Mode: options.Primary}, ``},
		{"nearest with tags", mongotest.Sharded(1), &options.ReadPreference{Mode: options.Nearest, TagSets: tags},
			`{"mode":"nearest","tags":[{"dc":"ny"},{}]}`},
		{"secondaryPreferred", mongotest.ReplicaSet(1), &options.ReadPreference{Mode: options.SecondaryPreferred},
			`{"mode":"secondaryPreferred"}`},
		{"standalone", mongotest.Standalone(), &options.ReadPreference{Mode: options.SecondaryPreferred}, ``},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := mongotest.Start(t, tt.shape)
			client, events := connectRecorded(t, d)
			c := client.Database("shop").Collection("things", &options.Collection{ReadPreference: tt.rp})
			if err := ignoreNoDocuments(c.FindOne(t.Context(), bson.D{}).Err()); err != nil {
				t.Fatal(err)
			}
			got := "" // all that there are: one at most
			for key, value := range events.commands("find")[0].Command.All() {
				if key == "$readPreference" {
					got += strings.ReplaceAll(value.String(), " ", "")
				}
			}
			if got != tt.want {
				t.Errorf("$readPreference = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestPrimaryTakesNoTags(t *testing.T) {
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			d := mongotest.Start(t, shape.option)
			client, events := connectRecorded(t, d)
			c := client.Database("shop").Collection("things", &options.Collection{ReadPreference: &options.ReadPreference{
				Mode: options.Primary, TagSets: []options.TagSet{{{Name: "dc", Value: "ny"}}},
			}})
			if err := c.FindOne(t.Context(), bson.D{}).Err(); err == nil || errors.Is(err, mongo.ErrNoDocuments) {
				t.Errorf("err = %v", err)
			}
			for _, e := range events.commands("find") {
				t.Errorf("sent %v", e.Command)
			}
		})
	}
}

func TestEachReadSelectsItsOwnServer(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	client, events := connectRecorded(t, d, &options.Client{ReadPreference: &options.ReadPreference{Mode: options.Nearest}})
	c := client.Database("shop").Collection("things")
	servers := map[string]bool{}
	for range 500 { // ends soon, when a second server was met
		if err := ignoreNoDocuments(c.FindOne(t.Context(), bson.D{}).Err()); err != nil {
			t.Fatal(err)
		}
		sent := events.commands("find")
		servers[host(sent[len(sent)-1].ConnectionID)] = true
		if len(servers) > 1 {
			return
		}
	}
	t.Errorf("all reads went to %v", servers)
}

// TestHelpersThatNeedThePrimary gives the client a read preference that writes and administration must ignore.
func TestHelpersThatNeedThePrimary(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	client, events := connectRecorded(t, d, &options.Client{ReadPreference: &options.ReadPreference{Mode: options.Secondary}})
	c := client.Database("shop").Collection("things")
	toSecondary := map[string]bool{"find": true, "aggregate": true, "distinct": true, "count": true}
	for _, op := range operations {
		before := len(events.commands(op.command))
		if err := op.run(t.Context(), c); err != nil {
			t.Errorf("%s: %v", op.name, err)
			continue
		}
		sent := events.commands(op.command)[before]
		secondary := host(sent.ConnectionID) != d.Hosts()[d.Primary()]
		if want := toSecondary[op.command]; secondary != want {
			t.Errorf("%s went to a secondary: %v, want %v", op.name, secondary, want)
		}
	}
}

func TestOutGoesToThePrimaryOfOldServers(t *testing.T) {
	for version, want := range map[string]bool{"4.4": false, "8.0": true} {
		t.Run(version, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Version(version))
			client, events := connectRecorded(t, d)
			c := client.Database("shop").Collection("things", &options.Collection{
				ReadPreference: &options.ReadPreference{Mode: options.Secondary},
			})
			if err := ignoreNoDocuments(c.FindOne(t.Context(), bson.D{}).Err()); err != nil { // a secondary is known
				t.Fatal(err)
			}
			if err := drainFunc(t.Context())(c.Aggregate(t.Context(), bson.A{bson.Doc("$out", "copy")})); err != nil {
				t.Fatal(err)
			}
			sent := events.commands("aggregate")[0]
			secondary := host(sent.ConnectionID) != d.Hosts()[d.Primary()]
			if told := !sent.Command.Lookup("$readPreference").IsZero(); secondary != want || told != want {
				t.Errorf("went to a secondary: %v, with $readPreference: %v, want %v", secondary, told, want)
			}
		})
	}
}

func TestInsertManySplitsByTheServersLimits(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, events := connectRecorded(t, d)
	c := client.Database("shop").Collection("things")
	text := strings.Repeat("x", 9<<20)
	var docs []bson.D
	for i := range 11 { // of 9 MiB each: five fit into a message of 48 MB
		docs = append(docs, bson.Doc("_id", i, "text", text))
	}
	if _, err := c.InsertMany(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	sent := events.commands("insert")
	sizes := []int{}
	for _, e := range sent {
		list, _ := e.Command.Lookup("documents").ArrayOK()
		n := 0
		for range list.All() {
			n++
		}
		sizes = append(sizes, n)
		if e.OperationID != sent[0].OperationID || !e.Command.Lookup("lsid").Equal(sent[0].Command.Lookup("lsid")) {
			t.Error("the messages differ in operationId or lsid")
		}
	}
	if len(sizes) != 3 || sizes[0] != 5 || sizes[1] != 5 || sizes[2] != 1 {
		t.Errorf("messages of %v documents", sizes)
	}
	if sent[0].Command.Lookup("txnNumber").Equal(sent[1].Command.Lookup("txnNumber")) {
		t.Error("two messages have one txnNumber")
	}
}

func TestDocumentTooLarge(t *testing.T) {
	d := mongotest.Start(t)
	client, events := connectRecorded(t, d)
	c := client.Database("shop").Collection("things")
	_, err := c.InsertOne(t.Context(), bson.Doc("_id", 2, "text", strings.Repeat("x", 16<<20)))
	var large *mongo.DocumentTooLargeError
	if !errors.As(err, &large) || large.Index != 0 || large.Limit != 16<<20 {
		t.Errorf("err = %v", err)
	}
	if len(events.commands("insert")) != 0 {
		t.Error("something was sent")
	}
	if err := client.Ping(t.Context(), nil); err != nil {
		t.Errorf("the connection is of no use any more: %v", err)
	}
}

// The driver refuses a command that no server would read before it sends it. A server would reset the connection. That
// would look like a network failure, which makes the driver retry and clear the pool.
func TestCommandTooLarge(t *testing.T) {
	const document, overhead = 16 << 20, 16 << 10
	d := mongotest.Start(t)
	var cleared atomic.Int64
	client, events := connectRecorded(t, d, &options.Client{
		PoolMonitor: &event.PoolMonitor{PoolCleared: func(*event.PoolCleared) { cleared.Add(1) }},
	})
	db := client.Database("shop")
	c := db.Collection("things")
	filter := func(size int) bson.D { return bson.Doc("x", strings.Repeat("x", size)) }
	half := strings.Repeat("x", document/2+overhead)
	var list []string
	for range 20 {
		list = append(list, strings.Repeat("x", 1<<20))
	}
	for _, tt := range []struct {
		name, command, field string
		ok                   bool
		run                  func(context.Context) error
	}{
		{"filter", "find", "filter", false, func(ctx context.Context) error { return c.FindOne(ctx, filter(document)).Err() }},
		{"largest filter", "find", "", true, func(ctx context.Context) error {
			err := c.FindOne(ctx, filter(document-len("\x00\x00\x00\x00\x02x\x00\x00\x00\x00\x00\x00\x00"))).Err()
			if err == mongo.ErrNoDocuments {
				return nil
			}
			return err
		}},
		{"filter and projection", "find", "", false, func(ctx context.Context) error {
			_, err := c.Find(ctx, bson.Doc("x", half), &options.Find{Projection: bson.Doc("x", bson.Doc("$literal", half))})
			return err
		}},
		{"pipeline", "aggregate", "pipeline", false, func(ctx context.Context) error {
			_, err := c.Aggregate(ctx, []any{bson.Doc("$match", filter(document/2)), bson.Doc("$match", filter(document/2))})
			return err
		}},
		{"filter of distinct", "distinct", "query", false, func(ctx context.Context) error {
			return c.Distinct(ctx, "a", filter(document)).Err()
		}},
		{"replacement", "findAndModify", "update", false, func(ctx context.Context) error {
			return c.FindOneAndReplace(ctx, bson.D{}, filter(document)).Err()
		}},
		{"variables of an update", "update", "let", false, func(ctx context.Context) error {
			_, err := c.UpdateOne(ctx, bson.D{}, bson.Doc("$set", bson.Doc("a", 1)), &options.UpdateOne{Let: filter(document)})
			return err
		}},
		{"RunCommand", "ping", "list", false, func(ctx context.Context) error {
			return db.RunCommand(ctx, bson.Doc("ping", 1, "list", list)).Err()
		}},
		{"RunCommand with two fields", "ping", "", false, func(ctx context.Context) error {
			return db.RunCommand(ctx, bson.Doc("ping", 1, "a", half, "b", half)).Err()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := len(events.commands(tt.command))
			err := tt.run(t.Context())
			var large mongo.CommandTooLargeError
			switch {
			case tt.ok && err != nil:
				t.Errorf("got %.300v", err)
			case !tt.ok && (!errors.As(err, &large) || large.Command != tt.command || large.Field != tt.field):
				t.Errorf("got %.300v", err)
			case !tt.ok && len(events.commands(tt.command)) != before:
				t.Error("it was sent")
			}
		})
	}
	if cleared.Load() != 0 {
		t.Errorf("the pool was cleared %d times", cleared.Load())
	}
}

func TestSensitiveCommandsAreRedacted(t *testing.T) {
	d := mongotest.Start(t)
	client, events := connectRecorded(t, d)
	client.Database("admin").RunCommand(t.Context(), bson.Doc("authenticate", 1, "pwd", "secret"))
	sent := events.commands("authenticate")
	if len(sent) != 1 || sent[0].Command.Len() != 0 {
		t.Fatalf("published: %v", sent)
	}
	for _, e := range events.failed {
		if e.CommandName == "authenticate" && strings.Contains(e.Failure.Error(), "secret") {
			t.Errorf("published: %v", e.Failure)
		}
	}
}

func TestUnsupportedOptionSaysSince(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("4.2"))
	client, events := connectRecorded(t, d)
	c := client.Database("shop").Collection("things")
	_, err := c.DeleteOne(t.Context(), bson.D{}, &options.DeleteOne{Hint: "_id_"})
	if err == nil {
		t.Fatal("an old server took a hint of delete")
	}
	unacknowledged := c.Clone(&options.Collection{WriteConcern: &options.WriteConcern{W: 0}})
	_, err = unacknowledged.DeleteOne(t.Context(), bson.D{}, &options.DeleteOne{Hint: "_id_"})
	var unsupported mongo.UnsupportedOptionError
	if !errors.As(err, &unsupported) || unsupported.Since != "4.4" {
		t.Errorf("err = %v", err)
	}
	if n := len(events.commands("delete")); n > 1 {
		t.Errorf("delete was sent %d times", n)
	}
}

func TestCursorKeepsItsConnectionBehindALoadBalancer(t *testing.T) {
	d := mongotest.Start(t, mongotest.LoadBalanced(2))
	client, events := connectRecorded(t, d, &options.Client{MaxPoolSize: new(1), WaitQueueTimeout: new(shortWait)})
	ctx := context.Background()
	c := client.Database("shop").Collection("things")
	if _, err := c.InsertMany(ctx, []bson.D{bson.Doc("_id", 1), bson.Doc("_id", 2), bson.Doc("_id", 3)}); err != nil {
		t.Fatal(err)
	}
	open := func() *mongo.Cursor {
		cursor, err := c.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(1))})
		if err != nil {
			t.Fatal(err)
		}
		return cursor
	}
	cursor := open()
	if err := client.Ping(ctx, nil); err == nil || !strings.Contains(err.Error(), "cursors: 1") {
		t.Errorf("the only connection belongs to the cursor, Ping: %v", err)
	}
	cursor.Close(ctx)
	if err := client.Ping(ctx, nil); err != nil {
		t.Errorf("Close did not give the connection back: %v", err)
	}
	cursor = open()
	if list, err := mongo.All[bson.Raw](ctx, cursor); err != nil || len(list) != 3 {
		t.Errorf("All = %v, %v", list, err)
	}
	if err := client.Ping(ctx, nil); err != nil {
		t.Errorf("the end of the cursor did not give the connection back: %v", err)
	}
	cursor = open()
	d.Control("getMore", func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Drop: true} })
	before := len(events.commands("killCursors"))
	if _, err := mongo.All[bson.Raw](ctx, cursor); !mongo.IsNetworkError(err) {
		t.Errorf("err = %v", err)
	}
	if len(events.commands("killCursors")) != before {
		t.Error("killCursors was sent on a broken connection")
	}
	if err := client.Ping(ctx, nil); err != nil {
		t.Errorf("a failed getMore did not give the connection back: %v", err)
	}
}
