package interop

import (
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// index creates an index and returns how it is listed, without its version.
func (o oddPlace) index(keys string, opts *options.IndexOptionsBuilder) (any, error) {
	name, err := o.c.Indexes().CreateOne(o.t.Context(), mongo.IndexModel{Keys: parseDocument(keys), Options: opts})
	if err != nil {
		return nil, err
	}
	listed, err := o.docs(o.c.Indexes().List(o.t.Context()))
	for _, doc := range listed.([]bson.D) {
		for _, e := range doc {
			if e.Key == "name" && e.Value == name {
				return doc[1:], err
			}
		}
	}
	return nil, errors.New("it is not listed")
}

// create creates a collection and returns how it is listed: its type and its options.
func (o oddPlace) create(opts *options.CreateCollectionOptionsBuilder) (any, error) {
	name := o.c.Name() + "new"
	if err := o.db.CreateCollection(o.t.Context(), name, opts); err != nil {
		return nil, err
	}
	specs, err := o.db.ListCollectionSpecifications(o.t.Context(), bson.D{{Key: "name", Value: name}})
	if err != nil || len(specs) != 1 {
		return nil, fmt.Errorf("%v, %v", specs, err)
	}
	return specs[0].Type + " " + showResult(specs[0].Options), nil
}

// oddDefinitions are uses of indexes, collections, views, users and explain.
var oddDefinitions = []oddUse{
	{name: "a text index with all options", want: `{'key':{'_fts':'text','_ftsx':1},'name':'t','weights':{'body':1,'title':10},'default_language':'french','language_override':'lang','textIndexVersion':3}`, run: func(o oddPlace) (any, error) {
		return o.index(`{'title':'text','body':'text'}`, options.Index().SetName("t").SetWeights(parseDocument(`{'title':10}`)).SetDefaultLanguage("french").SetLanguageOverride("lang").SetTextVersion(3))
	}},
	{name: "a 2d index with all options", want: `{'key':{'at':'2d'},'name':'g','bits':20,'max':100.0,'min':-100.0}`, run: func(o oddPlace) (any, error) {
		return o.index(`{'at':'2d'}`, options.Index().SetName("g").SetBits(20).SetMin(-100).SetMax(100))
	}},
	{name: "a wildcard index with a projection", want: `{'key':{'$**':1},'name':'w','wildcardProjection':{'s':1,'_id':0}}`, run: func(o oddPlace) (any, error) {
		return o.index(`{'$**':1}`, options.Index().SetName("w").SetWildcardProjection(parseDocument(`{'s':1,'_id':0}`)))
	}},
	{name: "a sphere index", want: `{'key':{'at':'2dsphere'},'name':'g','2dsphereIndexVersion':3}`, run: func(o oddPlace) (any, error) {
		return o.index(`{'at':'2dsphere'}`, options.Index().SetName("g"))
	}},
	{name: "a partial, hidden index that expires", want: `{'key':{'at':1},'name':'p','expireAfterSeconds':60,'hidden':true,'partialFilterExpression':{'a':{'$gt':1}}}`, run: func(o oddPlace) (any, error) {
		got, err := o.index(`{'at':1}`, options.Index().SetName("p").SetHidden(true).SetExpireAfterSeconds(60).SetPartialFilterExpression(parseDocument(`{'a':{'$gt':1}}`)))
		return fieldsByName(got), err
	}},
	{name: "a collation in full", want: `{'locale':'fr','caseLevel':false,'caseFirst':'off','strength':2,'numericOrdering':false,'alternate':'non-ignorable','maxVariable':'punct','normalization':false,'backwards':true,'version':'57.1'}`, run: func(o oddPlace) (any, error) {
		got, err := o.index(`{'s':1}`, options.Index().SetName("c").SetCollation(&options.Collation{Locale: "fr", Strength: 2, Backwards: true}))
		if err != nil {
			return nil, err
		}
		return got.(bson.D)[len(got.(bson.D))-1].Value, nil
	}},
	{name: "a unique index on duplicates", code: 11000, run: func(o oddPlace) (any, error) {
		fill(o.t, o.c, parseDocument(`{'s':'x'}`))
		return o.index(`{'s':1}`, options.Index().SetUnique(true))
	}},
	{name: "a sparse and partial index", code: 67, run: func(o oddPlace) (any, error) {
		return o.index(`{'s':1}`, options.Index().SetSparse(true).SetPartialFilterExpression(parseDocument(`{'a':1}`)))
	}},
	{name: "a partial index on what is not equal", code: 67, run: func(o oddPlace) (any, error) {
		return o.index(`{'s':1}`, options.Index().SetPartialFilterExpression(parseDocument(`{'a':{'$ne':1}}`)))
	}},
	{name: "an index over two arrays", code: 171, run: func(o oddPlace) (any, error) {
		fill(o.t, o.c, parseDocument(`{'x':[1],'y':[2]}`))
		return o.index(`{'x':1,'y':1}`, options.Index())
	}},
	{name: "a hashed index over an array", code: 16766, run: func(o oddPlace) (any, error) { return o.index(`{'list':'hashed'}`, options.Index()) }},
	{name: "a unique wildcard index", code: 67, run: func(o oddPlace) (any, error) { return o.index(`{'$**':1}`, options.Index().SetUnique(true)) }},
	{name: "a moderate validator lets the old ones be", want: `updated, 121`, run: func(o oddPlace) (any, error) {
		if _, err := o.command(`{'collMod':'C','validator':{'z':{'$exists':true}},'validationLevel':'moderate'}`); err != nil {
			return nil, err
		}
		if _, err := o.c.UpdateOne(o.t.Context(), parseDocument(`{'_id':1}`), parseDocument(`{'$set':{'a':9}}`)); err != nil {
			return nil, err
		}
		_, err := o.c.InsertOne(o.t.Context(), parseDocument(`{'_id':60}`))
		return "updated, " + codesOf(err), nil
	}},
	{name: "a strict validator does not", want: `121`, run: func(o oddPlace) (any, error) {
		if _, err := o.command(`{'collMod':'C','validator':{'z':{'$exists':true}},'validationLevel':'strict'}`); err != nil {
			return nil, err
		}
		_, err := o.c.UpdateOne(o.t.Context(), parseDocument(`{'_id':1}`), parseDocument(`{'$set':{'a':9}}`))
		return codesOf(err), nil
	}},
	{name: "a validator that is off", want: ``, run: func(o oddPlace) (any, error) {
		if _, err := o.command(`{'collMod':'C','validator':{'z':{'$exists':true}},'validationLevel':'off'}`); err != nil {
			return nil, err
		}
		_, err := o.c.InsertOne(o.t.Context(), parseDocument(`{'_id':61}`))
		return codesOf(err), nil
	}},
	{name: "a capped collection", want: `collection {'capped':true,'size':4096,'max':2}`, run: func(o oddPlace) (any, error) {
		return o.create(options.CreateCollection().SetCapped(true).SetSizeInBytes(4000).SetMaxDocuments(2))
	}},
	{name: "a time series", want: `timeseries {'expireAfterSeconds':3600,'timeseries':{'timeField':'t','metaField':'m','granularity':'minutes','bucketMaxSpanSeconds':86400}}`, run: func(o oddPlace) (any, error) {
		return o.create(options.CreateCollection().SetTimeSeriesOptions(options.TimeSeries().SetTimeField("t").SetMetaField("m").SetGranularity("minutes")).SetExpireAfterSeconds(3600))
	}},
	{name: "a clustered collection", want: `collection {'clusteredIndex':{'v':2,'key':{'_id':1},'name':'_id_','unique':true}}`, run: func(o oddPlace) (any, error) {
		return o.create(options.CreateCollection().SetClusteredIndex(parseDocument(`{'key':{'_id':1},'unique':true}`)))
	}},
	{name: "a collection that expires without a clustered index", code: 72, run: func(o oddPlace) (any, error) {
		return o.create(options.CreateCollection().SetExpireAfterSeconds(10))
	}},
	{name: "pre-images", only: "replicaset sharded", want: `collection {'changeStreamPreAndPostImages':{'enabled':true}}`, run: func(o oddPlace) (any, error) {
		return o.create(options.CreateCollection().SetChangeStreamPreAndPostImages(parseDocument(`{'enabled':true}`)))
	}},
	{name: "a view that writes", code: 167, run: func(o oddPlace) (any, error) {
		return nil, o.db.CreateView(o.t.Context(), o.c.Name()+"v", o.c.Name(), parseArray(`[{'$out':'x'}]`))
	}},
	{name: "a view of itself", code: 5, run: func(o oddPlace) (any, error) {
		return nil, o.db.CreateView(o.t.Context(), o.c.Name()+"v", o.c.Name()+"v", bson.A{})
	}},
	{name: "a view in another language", code: 167, run: func(o oddPlace) (any, error) {
		name := o.c.Name() + "v"
		if err := o.db.CreateView(o.t.Context(), name, o.c.Name(), bson.A{}, options.CreateView().SetCollation(&options.Collation{Locale: "en"})); err != nil {
			return nil, err
		}
		return o.docs(o.db.Collection(name).Find(o.t.Context(), bson.D{}, options.Find().SetCollation(&options.Collation{Locale: "fr"})))
	}},
	{name: "an index of a view", code: 166, run: func(o oddPlace) (any, error) {
		name := o.c.Name() + "v"
		if err := o.db.CreateView(o.t.Context(), name, o.c.Name(), bson.A{}); err != nil {
			return nil, err
		}
		return o.db.Collection(name).Indexes().CreateOne(o.t.Context(), mongo.IndexModel{Keys: parseDocument(`{'a':1}`)})
	}},
	{name: "a user and what is known of it", want: `{'user':'u','roles':[{'role':'read','db':'steps'}],'mechanisms':['SCRAM-SHA-256']}`, run: func(o oddPlace) (any, error) {
		reply, err := o.commands(`{'createUser':'u','pwd':'p','roles':['read'],'mechanisms':['SCRAM-SHA-256']}`, `{'usersInfo':'u'}`)
		if err != nil {
			return nil, err
		}
		user := reply.Lookup("users", "0")
		_, err = o.command(`{'dropUser':'u'}`)
		return bson.D{{Key: "user", Value: user.Document().Lookup("user")}, {Key: "roles", Value: user.Document().Lookup("roles")}, {Key: "mechanisms", Value: user.Document().Lookup("mechanisms")}}, err
	}},
	{name: "a user twice", code: 51003, run: func(o oddPlace) (any, error) {
		defer o.command(`{'dropUser':'w'}`)
		return o.commands(`{'createUser':'w','pwd':'p','roles':[]}`, `{'createUser':'w','pwd':'p','roles':[]}`)
	}},
	{name: "a user with a role that does not exist", code: 31, run: func(o oddPlace) (any, error) { return o.command(`{'createUser':'w','pwd':'p','roles':['nothing']}`) }},
	{name: "a password that is a hash already", want: `1`, run: func(o oddPlace) (any, error) {
		sum := md5.Sum([]byte("hashed:mongo:pencil"))
		text := `{'createUser':'hashed','pwd':'` + hex.EncodeToString(sum[:]) + `','roles':['readWrite'],'digestPassword':false,'mechanisms':['SCRAM-SHA-1']}`
		if _, err := o.command(text); err != nil {
			return nil, err
		}
		defer o.command(`{'dropUser':'hashed'}`)
		client := connectOfficial(o.t, o.d, func(c *options.ClientOptions) {
			c.SetAuth(options.Credential{AuthMechanism: "SCRAM-SHA-1", AuthSource: o.db.Name(), Username: "hashed", Password: "pencil"})
		})
		return client.Database(o.db.Name()).Collection(o.c.Name()).CountDocuments(o.t.Context(), onlyID)
	}},
	{name: "a hint of a hidden index", code: 2, run: func(o oddPlace) (any, error) {
		if _, err := o.index(`{'s':1}`, options.Index().SetName("h").SetHidden(true)); err != nil {
			return nil, err
		}
		return o.find(`{}`, options.Find().SetHint("h"))
	}},
	{name: "a hint by the key of two indexes", code: 27, run: func(o oddPlace) (any, error) {
		if _, err := o.index(`{'a':1}`, options.Index().SetName("fr").SetCollation(&options.Collation{Locale: "fr"})); err != nil {
			return nil, err
		}
		return o.find(`{}`, options.Find().SetHint(parseDocument(`{'a':1}`)))
	}},
	{name: "a commit quorum of one server", only: "standalone", code: 2, run: func(o oddPlace) (any, error) {
		models := []mongo.IndexModel{{Keys: parseDocument(`{'s':1}`)}}
		return o.c.Indexes().CreateMany(o.t.Context(), models, options.CreateIndexes().SetCommitQuorumMajority())
	}},
	{name: "a commit quorum of voting members", only: "replicaset", want: `[s_1]`, run: func(o oddPlace) (any, error) {
		models := []mongo.IndexModel{{Keys: parseDocument(`{'s':1}`)}}
		return o.c.Indexes().CreateMany(o.t.Context(), models, options.CreateIndexes().SetCommitQuorumVotingMembers())
	}},
	{name: "let that reads a field", code: 4890500, run: func(o oddPlace) (any, error) { return o.find(`{}`, options.Find().SetLet(parseDocument(`{'x':'$a'}`))) }},
	{name: "a 2d index of too many bits", code: 72, run: func(o oddPlace) (any, error) { return o.index(`{'at':'2d'}`, options.Index().SetBits(40)) }},
	{name: "a wildcard projection that mixes", code: 31254, run: func(o oddPlace) (any, error) {
		return o.index(`{'$**':1}`, options.Index().SetWildcardProjection(parseDocument(`{'a':1,'s':0}`)))
	}},
	{name: "the index of a time series", want: `{'v':2,'key':{'m':1,'t':1},'name':'m_1_t_1'}`, run: func(o oddPlace) (any, error) {
		if _, err := o.create(options.CreateCollection().SetTimeSeriesOptions(options.TimeSeries().SetTimeField("t").SetMetaField("m"))); err != nil {
			return nil, err
		}
		return o.docs(o.db.Collection(o.c.Name() + "new").Indexes().List(o.t.Context()))
	}},
	{name: "explain of an insert", code: 20, only: "standalone replicaset", run: func(o oddPlace) (any, error) { return o.command(`{'explain':{'insert':'C','documents':[{}]}}`) }},
	{name: "explain counts", want: `1 of 1`, only: "standalone replicaset", run: func(o oddPlace) (any, error) {
		reply, err := o.command(`{'explain':{'find':'C','filter':{'a':2}},'verbosity':'executionStats'}`)
		if err != nil {
			return nil, err
		}
		return fmt.Sprintf("%v of %v", reply.Lookup("executionStats", "nReturned").Int32(), reply.Lookup("executionStats", "totalDocsExamined").Int32()), nil
	}},
}

// codesOf returns the codes of an error.
func codesOf(err error) string {
	var failed mongo.ServerError
	if !errors.As(err, &failed) {
		return ""
	}
	return fmt.Sprint(failed.ErrorCodes()[0])
}
