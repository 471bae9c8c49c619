package mtest

import (
	"context"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/mongo"
)

// Collection says which collection CreateCollection makes.
type Collection struct {
	Name         string
	DB           string        // "" means the test's database
	Client       *mongo.Client // nil means the test's client
	Opts         *options.Collection
	CreateOpts   *options.CreateCollection
	ViewOn       string
	ViewPipeline any
}

// CreateCollection returns a collection, which the server creates if createOnServer is true and the client is not a mock.
func (t *T) CreateCollection(coll Collection, createOnServer bool) *mongo.Collection {
	t.Helper()
	if coll.DB == "" {
		coll.DB = t.DB.Name()
	}
	if coll.Client == nil {
		coll.Client = t.Client
	}
	db := coll.Client.Database(coll.DB)
	if fields := coll.encryptedFields(); fields != nil {
		DropEncryptedCollection(t, db.Collection(coll.Name), fields) // a test that was cut off may have left it
	}
	if createOnServer && t.settings.clientType != Mock {
		var err error
		if coll.ViewOn != "" {
			err = db.CreateView(t.Context(), coll.Name, coll.ViewOn, coll.ViewPipeline)
		} else if coll.CreateOpts != nil {
			err = db.CreateCollection(t.Context(), coll.Name, coll.CreateOpts)
		} else {
			err = db.CreateCollection(t.Context(), coll.Name)
		}
		if err != nil && !fault.HasErrorCode(err, errcode.NamespaceExists) {
			t.Fatalf("creating %s.%s: %v", coll.DB, coll.Name, err)
		}
	}
	made := db.Collection(coll.Name)
	if coll.Opts != nil {
		made = db.Collection(coll.Name, coll.Opts)
	}
	t.created = append(t.created, createdCollection{made, coll.encryptedFields()})
	return made
}

// createdCollection is a collection that is dropped when the test ends.
type createdCollection struct {
	*mongo.Collection
	encryptedFields any
}

// encryptedFields returns the encrypted fields that the collection is created with, or nil.
func (c Collection) encryptedFields() any {
	if c.CreateOpts == nil {
		return nil
	}
	return c.CreateOpts.EncryptedFields
}

// ClearCollections drops the collections that the test has created.
func (t *T) ClearCollections() {
	for _, coll := range t.created {
		// A drop without an acknowledged write concern would take effect at some later time.
		acknowledged := coll.Clone(&options.Collection{WriteConcern: mongo.Majority()})
		_ = acknowledged.Drop(context.Background(), &options.DropCollection{EncryptedFields: coll.encryptedFields})
	}
	t.created = nil
}

// DropEncryptedCollection drops a collection with encrypted fields, and the collections that belong to it.
func DropEncryptedCollection(t *T, coll *mongo.Collection, encryptedFields any) {
	t.Helper()
	if err := coll.Drop(t.Context(), &options.DropCollection{EncryptedFields: encryptedFields}); err != nil {
		t.Fatalf("dropping %s: %v", coll.Name(), err)
	}
}

// FailPoint is a command that makes the server fail, for tests without Mock.
type FailPoint struct {
	ConfigureFailPoint string `bson:"configureFailPoint"`
	// Mode is "alwaysOn", "off" or a FailPointMode.
	Mode any           `bson:"mode"`
	Data FailPointData `bson:"data"`
}

// The modes of a fail point that are not a FailPointMode.
const (
	ModeAlwaysOn = "alwaysOn"
	ModeOff      = "off"
)

// FailPointMode says how often a fail point acts.
type FailPointMode struct {
	Times int32 `bson:"times"`
	Skip  int32 `bson:"skip"`
}

// FailPointData says what a fail point does to which commands.
type FailPointData struct {
	FailCommands                  []string               `bson:"failCommands,omitempty"`
	CloseConnection               bool                   `bson:"closeConnection,omitempty"`
	ErrorCode                     int32                  `bson:"errorCode,omitempty"`
	FailBeforeCommitExceptionCode int32                  `bson:"failBeforeCommitExceptionCode,omitempty"`
	ErrorLabels                   *[]string              `bson:"errorLabels,omitempty"`
	WriteConcernError             *WriteConcernErrorData `bson:"writeConcernError,omitempty"`
	BlockConnection               bool                   `bson:"blockConnection,omitempty"`
	BlockTimeMS                   int32                  `bson:"blockTimeMS,omitempty"`
	AppName                       string                 `bson:"appName,omitempty"`
}

// WriteConcernErrorData is the write concern error that a fail point sends.
type WriteConcernErrorData struct {
	Code        int32     `bson:"code"`
	Name        string    `bson:"codeName"`
	Errmsg      string    `bson:"errmsg"`
	ErrorLabels *[]string `bson:"errorLabels,omitempty"`
	ErrInfo     bson.Raw  `bson:"errInfo,omitempty"`
}

// SetFailPoint sets a fail point. It ends with the test.
func (t *T) SetFailPoint(fp FailPoint) {
	t.Helper()
	if err := t.Client.Database("admin").RunCommand(t.Context(), fp).Err(); err != nil {
		t.Fatalf("setting the fail point %s: %v", fp.ConfigureFailPoint, err)
	}
	t.TrackFailPoint(fp.ConfigureFailPoint)
}

// SetFailPointFromDocument sets a fail point as SetFailPoint does. The command's name must come first.
func (t *T) SetFailPointFromDocument(fp bson.Raw) {
	t.Helper()
	if err := t.Client.Database("admin").RunCommand(t.Context(), fp).Err(); err != nil {
		t.Fatalf("setting a fail point: %v", err)
	}
	t.TrackFailPoint(bson.Must(fp.Lookup("configureFailPoint").StringOK()))
}

// TrackFailPoint makes a fail point that something else has set end with the test.
func (t *T) TrackFailPoint(name string) { t.failPoints = append(t.failPoints, name) }

// ClearFailPoints ends the fail points that the test has set.
func (t *T) ClearFailPoints() {
	t.Helper()
	for _, name := range t.failPoints {
		off := bson.D{{Key: "configureFailPoint", Value: name}, {Key: "mode", Value: "off"}}
		if err := t.Client.Database("admin").RunCommand(context.Background(), off).Err(); err != nil {
			t.Fatalf("ending the fail point %s: %v", name, err)
		}
	}
	t.failPoints = nil
}

// SetRawFailPoint sets a fail point with a client of its own. It stays until something ends it.
func SetRawFailPoint(fp bson.Raw, client *mongo.Client) error {
	if err := client.Database("admin").RunCommand(context.Background(), fp).Err(); err != nil {
		return fmt.Errorf("setting a fail point: %w", err)
	}
	return nil
}
