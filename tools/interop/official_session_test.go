package interop

import (
	"context"
	"errors"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"github.com/specdrivers/onion/tools/mongotest"
)

// commandsNamed returns the commands with the given name that a deployment received.
func commandsNamed(d *mongotest.Deployment, name string) []mongotest.Command {
	var out []mongotest.Command
	for _, c := range d.Commands() {
		if c.Name == name {
			out = append(out, c)
		}
	}
	return out
}

func countReceived(d *mongotest.Deployment, name string) int { return len(commandsNamed(d, name)) }

func testSessions(t *testing.T, p *place) {
	p.d.ForgetCommands()
	err := p.client.UseSession(t.Context(), func(ctx context.Context) error {
		for range 2 {
			if _, err := p.db.Collection("c").InsertOne(ctx, bson.M{"x": 1}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	inserts := commandsNamed(p.d, "insert")
	if len(inserts) != 2 || !inserts[0].Body.Lookup("lsid").Equal(inserts[1].Body.Lookup("lsid")) {
		t.Errorf("inserts of one session: %v", inserts)
	}
	for _, c := range inserts {
		if has := !c.Body.Lookup("txnNumber").IsZero(); has != p.canRetryWrites() {
			t.Errorf("a transaction number: %t", has)
		}
	}
}

// The second read of a causally consistent session names the operation time of the write before it.
func testCausalConsistency(t *testing.T, p *place) {
	c := p.db.Collection("causal")
	session := must[*mongo.Session](t)(p.client.StartSession(options.Session().SetCausalConsistency(true)))
	defer session.EndSession(context.Background())
	ctx := mongo.NewSessionContext(t.Context(), session)
	must[*mongo.InsertOneResult](t)(c.InsertOne(ctx, bson.M{"_id": 1}))
	p.d.ForgetCommands()
	anywhere := c.Clone(options.Collection().SetReadPreference(readpref.SecondaryPreferred()))
	if err := anywhere.FindOne(ctx, bson.M{"_id": 1}).Err(); err != nil {
		t.Errorf("the session's own write: %v", err)
	}
	finds := commandsNamed(p.d, "find")
	if len(finds) != 1 {
		t.Fatalf("finds = %v", finds)
	}
	_, _, named := finds[0].Body.Lookup("readConcern", "afterClusterTime").TimestampOK()
	if named != p.canRetryWrites() {
		t.Errorf("afterClusterTime is named: %t", named)
	}
	if p.canRetryWrites() && (session.OperationTime() == nil || session.ClusterTime() == nil) {
		t.Error("the session has no times")
	}
}

func testReadConcernMajority(t *testing.T, p *place) {
	c := p.db.Collection("majority", options.Collection().SetReadConcern(readconcern.Majority()).SetWriteConcern(writeconcern.Majority()))
	must[*mongo.InsertOneResult](t)(c.InsertOne(t.Context(), bson.M{"_id": 1}))
	if err := c.FindOne(t.Context(), bson.M{"_id": 1}).Err(); err != nil {
		t.Error(err)
	}
	if !p.isSet() {
		return
	}
	// While both secondaries lack the last write, a majority does not have it.
	primary := p.d.Primary()
	for i := range 3 {
		if i != primary {
			p.d.Lag(i, 1)
			defer p.d.Lag(i, 0)
		}
	}
	alone := c.Clone(options.Collection().SetWriteConcern(writeconcern.W1()))
	must[*mongo.InsertOneResult](t)(alone.InsertOne(t.Context(), bson.M{"_id": 2}))
	if err := c.FindOne(t.Context(), bson.M{"_id": 2}).Err(); !errors.Is(err, mongo.ErrNoDocuments) {
		t.Errorf("a majority has what only the primary has: %v", err)
	}
	local := c.Clone(options.Collection().SetReadConcern(readconcern.Local()))
	if err := local.FindOne(t.Context(), bson.M{"_id": 2}).Err(); err != nil {
		t.Errorf("the primary lost its write: %v", err)
	}
}

// Reads go where their read preference says. A router or a single server receives the preference with the command.
func testReadPreferences(t *testing.T, p *place) {
	c := p.db.Collection("preferred")
	fill(t, c, bson.M{"_id": 1})
	var tagged *readpref.ReadPref
	if p.isSet() {
		members := []mongotest.Member{{Node: 0, Priority: 1}, {Node: 1, Priority: 1}, {Node: 2, Priority: 1, Tags: map[string]string{"use": "reports"}}}
		if err := p.d.Reconfigure(members...); err != nil {
			t.Fatal(err)
		}
		tagged = readpref.Secondary(readpref.WithTags("use", "reports"))
	}
	cases := []struct {
		name       string
		preference *readpref.ReadPref
		goes       func(node, primary int) bool
		told       string // what a router is told
	}{
		{"primary", readpref.Primary(), func(n, primary int) bool { return n == primary }, ""},
		{"primaryPreferred", readpref.PrimaryPreferred(), func(n, primary int) bool { return n == primary }, "primaryPreferred"},
		{"secondary", readpref.Secondary(), func(n, primary int) bool { return n != primary }, "secondary"},
		{"secondaryPreferred", readpref.SecondaryPreferred(), func(n, primary int) bool { return n != primary }, "secondaryPreferred"},
		{"nearest", readpref.Nearest(), func(n, primary int) bool { return true }, "nearest"},
		{"tags", tagged, func(n, primary int) bool { return n == 2 }, ""},
	}
	for _, tc := range cases {
		if tc.preference == nil {
			continue
		}
		t.Run(tc.name, func(t *testing.T) {
			p.d.ForgetCommands()
			// None of the members lags, so once a majority has the write, every member has it.
			reader := c.Clone(options.Collection().SetReadPreference(tc.preference))
			for range 8 {
				if err := reader.FindOne(t.Context(), bson.M{}).Err(); err != nil {
					t.Fatal(err)
				}
			}
			for _, find := range commandsNamed(p.d, "find") {
				if p.isSet() && !tc.goes(find.Node, p.d.Primary()) {
					t.Errorf("a read went to node %d while %d is the primary", find.Node, p.d.Primary())
				}
				if mode, _ := find.Body.Lookup("$readPreference", "mode").StringOK(); p.shape == "sharded" && mode != tc.told {
					t.Errorf("the router was told %q", mode)
				}
			}
		})
	}
}
