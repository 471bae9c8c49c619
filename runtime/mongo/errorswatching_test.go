package mongo_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// What programs get wrong when they open a change stream.
func TestMistakesOfWatchingAreExplained(t *testing.T) {
	client := connect(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	const aStage, aToken = `bson.Doc("$match", filter)`, "what ResumeToken|returned|begin now"
	for _, m := range []struct {
		name     string
		pipeline any
		options  options.ChangeStream
		words    string
	}{
		{"a stage without a slice", bson.Doc("$match", bson.D{}), options.ChangeStream{}, "of type object|mongo.Pipeline{stage}"},
		{"a filter for a stage", mongo.Pipeline{bson.Doc("operationType", "insert")}, options.ChangeStream{}, "operationType|" + aStage},
		{"a stage misspelt", mongo.Pipeline{bson.Doc("$mach", bson.D{})}, options.ChangeStream{}, "$mach|" + aStage},
		{"text for a stage", bson.A{"$match"}, options.ChangeStream{}, "must be an object|" + aStage},
		{"text for a token", mongo.Pipeline{}, options.ChangeStream{ResumeAfter: "8264"}, "ResumeAfter|" + aToken},
		{"an _id of a document", mongo.Pipeline{}, options.ChangeStream{StartAfter: bson.NewObjectID()}, "StartAfter|" + aToken},
		{"an empty token", mongo.Pipeline{}, options.ChangeStream{ResumeAfter: bson.Raw{}}, "ResumeAfter|" + aToken},
		{"another document", mongo.Pipeline{}, options.ChangeStream{ResumeAfter: bson.Doc("_id", 1)}, "Bad resume token|" + aToken},
		{"a token cut off", mongo.Pipeline{}, options.ChangeStream{ResumeAfter: bson.Doc("_data", "82x")}, "hex|" + aToken},
		{"fullDocument", mongo.Pipeline{}, options.ChangeStream{FullDocument: new("updatelookup")}, "updatelookup|options.FullDocument"},
		{"fullDocumentBeforeChange", mongo.Pipeline{}, options.ChangeStream{FullDocumentBeforeChange: new("true")}, "true|options.FullDocument"},
	} {
		t.Run(m.name, func(t *testing.T) {
			_, err := client.Watch(t.Context(), m.pipeline, &m.options)
			wantMentions(t, err, m.words)
		})
	}
}
