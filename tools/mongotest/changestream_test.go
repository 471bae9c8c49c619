package mongotest_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

// stream is an open change stream of a test.
type stream struct {
	c      *rawConn
	db     string
	id     int64
	name   string
	events []bson.Raw // not yet taken
	token  bson.Raw   // the last postBatchResumeToken
	err    bson.Raw   // the reply that ended it
}

// openStream opens a stream with the given stage; options of the aggregate may follow the stages in command.
func openStream(t testing.TB, c *rawConn, db, collection, stages string) *stream {
	t.Helper()
	name := "1"
	if collection != "" {
		name = "'" + collection + "'"
	}
	reply := c.run(append(parseDocument(t, "{'aggregate':"+name+",'pipeline':["+stages+"],'cursor':{}}"), bson.E{Key: "$db", Value: db}))
	s := &stream{c: c, db: db}
	s.take(reply, "firstBatch")
	return s
}

func (s *stream) take(reply bson.Raw, batch string) {
	if codeOf(reply) != 0 {
		s.err = reply
		return
	}
	s.id, _ = reply.Lookup("cursor", "id").Int64OK()
	namespace, _ := reply.Lookup("cursor", "ns").StringOK()
	_, s.name, _ = strings.Cut(namespace, ".")
	s.token, _ = reply.Lookup("cursor", "postBatchResumeToken").DocumentOK()
	list, _ := reply.Lookup("cursor", batch).ArrayOK()
	for _, v := range list.All() {
		d, _ := v.DocumentOK()
		s.events = append(s.events, d)
	}
}

// drain reads the events that are available.
func (s *stream) drain() []bson.Raw {
	s.c.t.Helper()
	for s.err == nil && s.id != 0 {
		before := len(s.events)
		s.take(s.c.run(bson.Doc("getMore", s.id, "collection", s.name, "maxTimeMS", 1, "$db", s.db)), "nextBatch")
		if len(s.events) == before {
			break
		}
	}
	return s.events
}

var (
	changing = regexp.MustCompile(`"(_id":\{"_data|clusterTime|wallTime)":("[0-9A-F]*"\}|\{"\$timestamp":\{[^}]*\}\}|\{"\$date":"[^"]*"\}),?`)
	binaries = regexp.MustCompile(`\{"\$(binary|uuid)":(\{[^}]*\}|"[^"]*")\}`)
)

// plainEvent returns an event without tokens and times, as relaxed extended JSON with single quotes.
func plainEvent(d bson.Raw) string {
	s := changing.ReplaceAllString(d.String(), "")
	return strings.ReplaceAll(binaries.ReplaceAllString(s, "UUID"), `"`, "'")
}

func (c *rawConn) mustRun(db string, commands ...string) {
	c.t.Helper()
	for _, command := range commands {
		if reply := c.run(append(parseDocument(c.t, command), bson.E{Key: "$db", Value: db})); codeOf(reply) != 0 || !reply.Lookup("writeErrors").IsZero() {
			c.t.Fatalf("%s: %s", command, reply)
		}
	}
}

func TestChangeStreamEvents(t *testing.T) {
	const onlyStream = `{'$changeStream':{}}`
	const expanded = `{'$changeStream':{'showExpandedEvents':true}}`
	tests := []struct {
		name, version string
		db, coll      string
		stages        string
		before        []string
		during        []string
		want          []string
	}{
		{"writes", "7.0", "db", "c", onlyStream, []string{`{'insert':'c','documents':[{'_id':1,'a':1,'b':[1,2]}]}`}, []string{
			`{'insert':'c','documents':[{'_id':2}]}`,
			`{'update':'c','updates':[{'q':{'_id':1},'u':{'$set':{'a':2,'x':{'y':1}},'$unset':{'b':1}}}]}`,
			`{'update':'c','updates':[{'q':{'_id':1},'u':{'$set':{'x.y':2,'x.z':3}}}]}`,
			`{'update':'c','updates':[{'q':{'_id':1},'u':{'n':1}}]}`,
			`{'insert':'other','documents':[{'_id':3}]}`,
			`{'delete':'c','deletes':[{'q':{'_id':1},'limit':1}]}`,
		}, []string{
			`{'operationType':'insert','fullDocument':{'_id':2},'ns':{'db':'db','coll':'c'},'documentKey':{'_id':2}}`,
			`{'operationType':'update','ns':{'db':'db','coll':'c'},'documentKey':{'_id':1},'updateDescription':{'updatedFields':{'a':2,'x':{'y':1}},'removedFields':['b'],'truncatedArrays':[]}}`,
			`{'operationType':'update','ns':{'db':'db','coll':'c'},'documentKey':{'_id':1},'updateDescription':{'updatedFields':{'x.y':2,'x.z':3},'removedFields':[],'truncatedArrays':[]}}`,
			`{'operationType':'replace','fullDocument':{'_id':1,'n':1},'ns':{'db':'db','coll':'c'},'documentKey':{'_id':1}}`,
			`{'operationType':'delete','ns':{'db':'db','coll':'c'},'documentKey':{'_id':1}}`,
		}},
		{"arrays", "7.0", "db", "c", onlyStream, []string{`{'insert':'c','documents':[{'_id':1,'a':['the first',2,3,{'x':1}]}]}`}, []string{
			`{'update':'c','updates':[{'q':{'_id':1},'u':{'$push':{'a':4}}}]}`,
			`{'update':'c','updates':[{'q':{'_id':1},'u':{'$set':{'a.3.x':2}}}]}`,
			`{'update':'c','updates':[{'q':{'_id':1},'u':[{'$set':{'a':['the first',5]}}]}]}`,
			`{'update':'c','updates':[{'q':{'_id':1},'u':{'$pull':{'a':'the first'}}}]}`,
		}, []string{
			`{'operationType':'update','ns':{'db':'db','coll':'c'},'documentKey':{'_id':1},'updateDescription':{'updatedFields':{'a.4':4},'removedFields':[],'truncatedArrays':[]}}`,
			`{'operationType':'update','ns':{'db':'db','coll':'c'},'documentKey':{'_id':1},'updateDescription':{'updatedFields':{'a.3.x':2},'removedFields':[],'truncatedArrays':[]}}`,
			`{'operationType':'update','ns':{'db':'db','coll':'c'},'documentKey':{'_id':1},'updateDescription':{'updatedFields':{'a.1':5},'removedFields':[],'truncatedArrays':[{'field':'a','newSize':2}]}}`,
			`{'operationType':'update','ns':{'db':'db','coll':'c'},'documentKey':{'_id':1},'updateDescription':{'updatedFields':{'a':[5]},'removedFields':[],'truncatedArrays':[]}}`,
		}},
		{"paths that can be read in two ways", "7.0", "db", "c", expanded, []string{`{'insert':'c','documents':[{'_id':1,'a':{'1':1},'b':[{'1':1}]}]}`}, []string{
			`{'update':'c','updates':[{'q':{'_id':1},'u':{'$set':{'a.1':2,'b.0.1':2}}}]}`,
		}, []string{
			`{'operationType':'update','collectionUUID':UUID,'ns':{'db':'db','coll':'c'},'documentKey':{'_id':1},'updateDescription':{'updatedFields':{'a.1':2,'b.0.1':2},'removedFields':[],'truncatedArrays':[],'disambiguatedPaths':{'a.1':['a','1'],'b.0.1':['b',0,'1']}}}`,
		}},
		{"an older server", "4.2", "db", "c", onlyStream, []string{`{'insert':'c','documents':[{'_id':1,'a':1}]}`}, []string{
			`{'update':'c','updates':[{'q':{'_id':1},'u':{'$set':{'a':2}}}]}`,
			`{'update':'c','updates':[{'q':{'_id':1},'u':[{'$set':{'a':3}}]}]}`,
		}, []string{
			`{'operationType':'update','ns':{'db':'db','coll':'c'},'documentKey':{'_id':1},'updateDescription':{'updatedFields':{'a':2},'removedFields':[]}}`,
			`{'operationType':'replace','fullDocument':{'_id':1,'a':3},'ns':{'db':'db','coll':'c'},'documentKey':{'_id':1}}`,
		}},
		{"lookup of updates", "7.0", "db", "c", `{'$changeStream':{'fullDocument':'updateLookup'}}`, []string{`{'insert':'c','documents':[{'_id':1},{'_id':2}]}`}, []string{
			`{'update':'c','updates':[{'q':{},'u':{'$set':{'a':1}},'multi':true}]}`, `{'delete':'c','deletes':[{'q':{'_id':2},'limit':1}]}`,
		}, []string{
			`{'operationType':'update','fullDocument':{'_id':1,'a':1},'ns':{'db':'db','coll':'c'},'documentKey':{'_id':1},'updateDescription':{'updatedFields':{'a':1},'removedFields':[],'truncatedArrays':[]}}`,
			`{'operationType':'update','fullDocument':null,'ns':{'db':'db','coll':'c'},'documentKey':{'_id':2},'updateDescription':{'updatedFields':{'a':1},'removedFields':[],'truncatedArrays':[]}}`,
			`{'operationType':'delete','ns':{'db':'db','coll':'c'},'documentKey':{'_id':2}}`,
		}},
		{"images", "7.0", "db", "c", `{'$changeStream':{'fullDocument':'required','fullDocumentBeforeChange':'required'}}`, []string{
			`{'create':'c','changeStreamPreAndPostImages':{'enabled':true}}`, `{'insert':'c','documents':[{'_id':1}]}`,
		}, []string{
			`{'update':'c','updates':[{'q':{'_id':1},'u':{'$set':{'a':1}}}]}`, `{'delete':'c','deletes':[{'q':{'_id':1},'limit':1}]}`,
		}, []string{
			`{'operationType':'update','fullDocument':{'_id':1,'a':1},'ns':{'db':'db','coll':'c'},'documentKey':{'_id':1},'updateDescription':{'updatedFields':{'a':1},'removedFields':[],'truncatedArrays':[]},'fullDocumentBeforeChange':{'_id':1}}`,
			`{'operationType':'delete','ns':{'db':'db','coll':'c'},'documentKey':{'_id':1},'fullDocumentBeforeChange':{'_id':1,'a':1}}`,
		}},
		{"images that are not kept", "7.0", "db", "c", `{'$changeStream':{'fullDocument':'whenAvailable','fullDocumentBeforeChange':'whenAvailable'}}`, []string{`{'insert':'c','documents':[{'_id':1}]}`}, []string{
			`{'update':'c','updates':[{'q':{'_id':1},'u':{'$set':{'a':1}}}]}`,
		}, []string{
			`{'operationType':'update','fullDocument':null,'ns':{'db':'db','coll':'c'},'documentKey':{'_id':1},'updateDescription':{'updatedFields':{'a':1},'removedFields':[],'truncatedArrays':[]},'fullDocumentBeforeChange':null}`,
		}},
		{"a drop ends the stream of a collection", "7.0", "db", "c", onlyStream, []string{`{'create':'c'}`}, []string{`{'drop':'c'}`, `{'create':'c'}`}, []string{
			`{'operationType':'drop','ns':{'db':'db','coll':'c'}}`, `{'operationType':'invalidate',}`,
		}},
		{"a rename ends it too", "7.0", "db", "c", onlyStream, []string{`{'create':'c'}`}, []string{`{'renameCollection':'db.c','to':'db.d','$db':'admin'}`}, []string{
			`{'operationType':'rename','ns':{'db':'db','coll':'c'},'to':{'db':'db','coll':'d'}}`, `{'operationType':'invalidate',}`,
		}},
		{"and one to its name", "7.0", "db", "c", onlyStream, []string{`{'create':'d'}`, `{'create':'c'}`}, []string{`{'renameCollection':'db.d','to':'db.c','dropTarget':true,'$db':'admin'}`}, []string{
			`{'operationType':'rename','ns':{'db':'db','coll':'d'},'to':{'db':'db','coll':'c'}}`, `{'operationType':'invalidate',}`,
		}},
		{"dropDatabase ends the stream of a database", "7.0", "db", "", onlyStream, []string{`{'create':'c'}`}, []string{
			`{'insert':'d','documents':[{'_id':1}]}`, `{'drop':'d'}`, `{'dropDatabase':1}`,
		}, []string{
			`{'operationType':'insert','fullDocument':{'_id':1},'ns':{'db':'db','coll':'d'},'documentKey':{'_id':1}}`,
			`{'operationType':'drop','ns':{'db':'db','coll':'d'}}`, `{'operationType':'drop','ns':{'db':'db','coll':'c'}}`,
			`{'operationType':'dropDatabase','ns':{'db':'db'}}`, `{'operationType':'invalidate',}`,
		}},
		{"nothing ends that of a cluster", "7.0", "admin", "", `{'$changeStream':{'allChangesForCluster':true}}`, []string{`{'create':'c','$db':'db'}`}, []string{
			`{'dropDatabase':1,'$db':'db'}`, `{'insert':'c','documents':[{'_id':1}],'$db':'other'}`, `{'insert':'c','documents':[{'_id':1}]}`,
		}, []string{
			`{'operationType':'drop','ns':{'db':'db','coll':'c'}}`, `{'operationType':'dropDatabase','ns':{'db':'db'}}`,
			`{'operationType':'insert','fullDocument':{'_id':1},'ns':{'db':'other','coll':'c'},'documentKey':{'_id':1}}`,
		}},
		{"expanded events", "8.2", "db", "", expanded, nil, []string{
			`{'create':'c'}`, `{'create':'v','viewOn':'c','pipeline':[]}`, `{'createIndexes':'c','indexes':[{'key':{'x':1},'name':'x_1'}]}`,
			`{'collMod':'c','index':{'name':'x_1','hidden':true}}`, `{'dropIndexes':'c','index':'x_1'}`, `{'create':'d'}`, `{'collMod':'d'}`,
			`{'renameCollection':'db.c','to':'db.d','dropTarget':true,'$db':'admin'}`, `{'drop':'d'}`,
		}, []string{
			`{'operationType':'create','collectionUUID':UUID,'ns':{'db':'db','coll':'c'},'operationDescription':{'idIndex':{'v':2,'key':{'_id':1},'name':'_id_'}},'nsType':'collection'}`,
			`{'operationType':'create','ns':{'db':'db','coll':'v'},'operationDescription':{'viewOn':'c','pipeline':[]},'nsType':'view'}`,
			`{'operationType':'createIndexes','collectionUUID':UUID,'ns':{'db':'db','coll':'c'},'operationDescription':{'indexes':[{'v':2,'key':{'x':1},'name':'x_1'}]}}`,
			`{'operationType':'modify','collectionUUID':UUID,'ns':{'db':'db','coll':'c'},'operationDescription':{'index':{'name':'x_1','hidden':true}},'stateBeforeChange':{'collectionOptions':{'uuid':UUID},'indexOptions':{'v':2,'key':{'x':1},'name':'x_1'}}}`,
			`{'operationType':'dropIndexes','collectionUUID':UUID,'ns':{'db':'db','coll':'c'},'operationDescription':{'indexes':[{'v':2,'key':{'x':1},'name':'x_1','hidden':true}]}}`,
			`{'operationType':'create','collectionUUID':UUID,'ns':{'db':'db','coll':'d'},'operationDescription':{'idIndex':{'v':2,'key':{'_id':1},'name':'_id_'}},'nsType':'collection'}`,
			`{'operationType':'modify','collectionUUID':UUID,'ns':{'db':'db','coll':'d'},'operationDescription':{},'stateBeforeChange':{'collectionOptions':{'uuid':UUID}}}`,
			`{'operationType':'rename','collectionUUID':UUID,'ns':{'db':'db','coll':'c'},'to':{'db':'db','coll':'d'},'operationDescription':{'to':{'db':'db','coll':'d'},'dropTarget':UUID}}`,
			`{'operationType':'drop','collectionUUID':UUID,'ns':{'db':'db','coll':'d'}}`,
		}},
		{"the rest of the pipeline", "7.0", "db", "c", onlyStream + `,{'$match':{'fullDocument.n':{'$gt':1}}},{'$project':{'n':'$fullDocument.n'}}`, nil, []string{
			`{'insert':'c','documents':[{'_id':1,'n':1},{'_id':2,'n':2},{'_id':3,'n':3}]}`,
		}, []string{`{'n':2}`, `{'n':3}`}},
		{"a transaction", "7.0", "db", "c", onlyStream, []string{`{'create':'c'}`}, []string{
			`{'insert':'c','documents':[{'_id':1}],'lsid':{'id':{'$uuid':'00000000-0000-4000-8000-000000000001'}},'txnNumber':{'$numberLong':'5'},'startTransaction':true,'autocommit':false}`,
			`{'insert':'c','documents':[{'_id':2}],'lsid':{'id':{'$uuid':'00000000-0000-4000-8000-000000000001'}},'txnNumber':{'$numberLong':'5'},'autocommit':false}`,
			`{'commitTransaction':1,'lsid':{'id':{'$uuid':'00000000-0000-4000-8000-000000000001'}},'txnNumber':{'$numberLong':'5'},'autocommit':false,'$db':'admin'}`,
		}, []string{
			`{'operationType':'insert','txnNumber':5,'lsid':{'id':UUID,'uid':UUID},'fullDocument':{'_id':1},'ns':{'db':'db','coll':'c'},'documentKey':{'_id':1}}`,
			`{'operationType':'insert','txnNumber':5,'lsid':{'id':UUID,'uid':UUID},'fullDocument':{'_id':2},'ns':{'db':'db','coll':'c'},'documentKey':{'_id':2}}`,
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version(test.version)), 0)
			run := func(commands []string) {
				for _, command := range commands {
					db := test.db
					if d := parseDocument(t, command); d[len(d)-1].Key == "$db" {
						db = d[len(d)-1].Value.(string)
						command = command[:strings.Index(command, ",'$db'")] + "}"
					}
					c.mustRun(db, command)
				}
			}
			run(test.before)
			s := openStream(t, c, test.db, test.coll, test.stages)
			run(test.during)
			var got []string
			var keys []string
			for _, d := range s.drain() {
				got = append(got, plainEvent(d))
				keys = append(keys, d.Lookup("_id", "_data").String())
			}
			if s.err != nil || !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"), s.err)
			}
			if !slices.IsSorted(keys) || len(slices.Compact(keys)) != len(got) {
				t.Errorf("tokens that do not ascend: %q", keys)
			}
			ends := len(got) > 0 && strings.Contains(got[len(got)-1], "invalidate")
			if ends != (s.id == 0) {
				t.Errorf("the cursor is %d after %q", s.id, got)
			}
		})
	}
}

func TestChangeStreamMistakes(t *testing.T) {
	open := func(stage string) string { return `{'aggregate':'c','pipeline':[` + stage + `],'cursor':{}}` }
	with := func(options string) string { return open(`{'$changeStream':{` + options + `}}`) }
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0")), 0)
	c.mustRun("db", `{'create':'c'}`, `{'create':'v','viewOn':'c','pipeline':[]}`)
	runCases(t, c, []wireCase{
		{"unknown option", "db", with(`'x':1`), 40415, "BSON field '$changeStream.x' is an unknown field."},
		{"mode", "db", with(`'fullDocument':'x'`), 2, "Enumeration value 'x' for field '$changeStream.fullDocument' is not a valid value."},
		{"token that is none", "db", with(`'resumeAfter':{}`), 40647, "Bad resume token"},
		{"token without digits", "db", with(`'resumeAfter':{'_data':'xyz'}`), 9, "hex string"},
		{"short token", "db", with(`'resumeAfter':{'_data':'82'}`), 40649, "Invalid resume token"},
		{"two starts", "db", with(`'resumeAfter':{'_data':'82'},'startAfter':{'_data':'82'}`), 50865, ""},
		{"start and time", "db", with(`'resumeAfter':{'_data':'82'},'startAtOperationTime':{'$timestamp':{'t':1,'i':1}}`), 40674, ""},
		{"time of another type", "db", with(`'startAtOperationTime':1`), 14, "startAtOperationTime"},
		{"stage that is not for streams", "db", open(`{'$changeStream':{}},{'$group':{'_id':1}}`), 20, "$group is not permitted in a $changeStream pipeline"},
		{"unknown stage", "db", open(`{'$changeStream':{}},{'$unsupported':'foo'}`), 40324, ""},
		{"not first", "db", open(`{'$match':{}},{'$changeStream':{}}`), 40602, ""},
		{"view", "db", `{'aggregate':'v','pipeline':[{'$changeStream':{}}],'cursor':{}}`, 166, "db.v is a view"},
		{"internal database", "admin", with(``), 73, "$changeStream may not be opened on the internal admin database"},
		{"cluster from elsewhere", "db", with(`'allChangesForCluster':true`), 72, "found db.c"},
		{"read concern", "db", `{'aggregate':'c','pipeline':[{'$changeStream':{}}],'cursor':{},'readConcern':{'level':'local'}}`, 72, "Current readConcern"},
		{"split in another place", "db", open(`{'$changeStream':{}},{'$changeStreamSplitLargeEvent':{}},{'$match':{}}`), 7182802, ""},
		{"split without a stream", "db", open(`{'$changeStreamSplitLargeEvent':{}}`), 20, ""},
	})
	alone := connectRaw(t, mongotest.Start(t, mongotest.Version("8.0")), 0)
	runCases(t, alone, []wireCase{{"standalone", "db", with(``), 40573, "only supported on replica sets"}})

	t.Run("token of an event that never was", func(t *testing.T) {
		s := openStream(t, c, "db", "c", `{'$changeStream':{}}`)
		c.mustRun("db", `{'insert':'c','documents':[{'_id':1}]}`)
		events := s.drain()
		token, _ := events[0].Lookup("_id").DocumentOK()
		c.mustRun("db", `{'insert':'c','documents':[{'_id':2}]}`)
		reply := c.run(bson.Doc("aggregate", "other", "pipeline", bson.A{bson.Doc("$changeStream", bson.Doc("resumeAfter", token))}, "cursor", bson.D{}, "$db", "db"))
		if codeOf(reply) != errcode.ChangeStreamFatalError || !strings.Contains(reply.String(), "NonResumableChangeStreamError") {
			t.Errorf("%s", reply)
		}
	})
	for _, test := range []struct{ name, stages string }{
		{"without _id", `{'$changeStream':{}},{'$project':{'_id':0}}`}, {"with another _id", `{'$changeStream':{}},{'$set':{'_id':1}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := openStream(t, c, "db", "c", test.stages)
			c.mustRun("db", `{'insert':'c','documents':[{'z':3}]}`)
			s.drain()
			if s.err == nil || codeOf(s.err) != errcode.ChangeStreamFatalError || !strings.Contains(s.err.String(), "NonResumableChangeStreamError") {
				t.Errorf("%s", s.err)
			}
		})
	}
	t.Run("images that are missing", func(t *testing.T) {
		s := openStream(t, c, "db", "c", `{'$changeStream':{'fullDocument':'required'}}`)
		c.mustRun("db", `{'update':'c','updates':[{'q':{},'u':{'$set':{'k':1}}}]}`)
		s.drain()
		if s.err == nil || codeOf(s.err) != errcode.NoMatchingDocument {
			t.Errorf("%s", s.err)
		}
	})
}

// A server labels the errors of an open stream if a new stream would recover from them.
func TestChangeStreamLabels(t *testing.T) {
	for _, test := range []struct {
		version string
		code    int
		want    bool
	}{{"4.2", 189, false}, {"4.4", 189, true}, {"8.0", 189, true}, {"8.0", 43, false}, {"8.0", 11601, false}} {
		c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version(test.version)), 0)
		s := openStream(t, c, "db", "c", `{'$changeStream':{}}`)
		c.runAdmin("configureFailPoint", "failGetMoreAfterCursorCheckout", "mode", bson.Doc("times", 1), "data", bson.Doc("errorCode", test.code))
		s.drain()
		if s.err == nil || strings.Contains(s.err.String(), "ResumableChangeStreamError") != test.want {
			t.Errorf("%d on %s: %s", test.code, test.version, s.err)
		}
	}
}

// The server splits large events into fragments, and a stream can resume after each of them.
func TestChangeStreamSplitsLargeEvents(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0")), 0)
	c.mustRun("db", `{'create':'c','changeStreamPreAndPostImages':{'enabled':true}}`)
	big := strings.Repeat("x", 10<<20)
	c.run(bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", 1, "s", big)}, "$db", "db"))
	const options = `'fullDocumentBeforeChange':'required','fullDocument':'required'`
	whole := openStream(t, c, "db", "c", `{'$changeStream':{`+options+`}}`)
	s := openStream(t, c, "db", "c", `{'$changeStream':{`+options+`}},{'$changeStreamSplitLargeEvent':{}}`)
	c.mustRun("db", `{'update':'c','updates':[{'q':{'_id':1},'u':{'$set':{'n':1}}}]}`, `{'insert':'c','documents':[{'_id':2}]}`)
	if whole.drain(); whole.err == nil || codeOf(whole.err) != errcode.BSONObjectTooLarge {
		t.Errorf("an event that is not split: %.200s", whole.err)
	}
	events := s.drain()
	if len(events) != 3 || s.err != nil {
		t.Fatalf("%d events, %s", len(events), s.err)
	}
	for i, want := range []string{`{"fragment":1,"of":2}`, `{"fragment":2,"of":2}`, ""} {
		if got := events[i].Lookup("splitEvent"); want != "" && got.String() != want || want == "" && !got.IsZero() {
			t.Errorf("event %d is part %s, want %s", i, got, want)
		}
		token, _ := events[i].Lookup("_id").DocumentOK()
		again := &stream{c: c, db: "db"}
		stage := parseDocument(t, `{'$changeStream':{`+options+`}}`)
		stage[0].Value = append(stage[0].Value.(bson.D), bson.E{Key: "resumeAfter", Value: token})
		again.take(c.run(bson.Doc("aggregate", "c", "pipeline", bson.A{stage, bson.Doc("$changeStreamSplitLargeEvent", bson.D{})}, "cursor", bson.D{}, "$db", "db")), "firstBatch")
		if got := again.drain(); len(got) != 2-i || again.err != nil {
			t.Errorf("after part %d came %d events, %s", i, len(got), again.err)
		}
	}
}
