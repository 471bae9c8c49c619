package mongo_test

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// TestWhatADatabaseInherits reads the settings that a database inherits from its client. Changing a returned value does
// not change the handle, and a nil handle has no settings.
func TestWhatADatabaseInherits(t *testing.T) {
	client, err := mongo.Connect(t.Context(), "mongodb://localhost:1/?readConcernLevel=local&w=2&readPreference=secondary&timeoutMS=70")
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(t.Context())
	db := client.Database("shop")
	if level := db.ReadConcern().Level; level != options.ReadConcernLocal {
		t.Errorf("the read concern is %q", level)
	}
	if mode := db.ReadPreference().Mode; mode != options.Secondary {
		t.Errorf("the read preference is %v", mode)
	}
	if w := db.WriteConcern().W; w != 2 {
		t.Errorf("the write concern waits for %v", w)
	}
	if d := client.Timeout(); d == nil || *d != 70*time.Millisecond {
		t.Errorf("the timeout is %v", d)
	}
	db.ReadConcern().Level, db.ReadPreference().Mode, db.WriteConcern().W, *client.Timeout() = "", options.Nearest, 3, 0
	if db.ReadConcern().Level == "" || db.ReadPreference().Mode == options.Nearest || db.WriteConcern().W == 3 || *client.Timeout() == 0 {
		t.Error("what a program read and changed has changed the handle")
	}
	var none *mongo.Database
	if none.ReadConcern().Level != "" || none.ReadPreference().Mode != options.Primary || none.WriteConcern() != nil {
		t.Error("a nil database has settings")
	}
	if d := (*mongo.Client)(nil).Timeout(); d != nil {
		t.Errorf("a nil client has the timeout %v", d)
	}
}
