package engine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
)

// FuzzCommand runs any command on a small database: nothing may panic, and every reply must be BSON.
func FuzzCommand(f *testing.F) {
	for _, s := range []string{
		`{find:'c',filter:{a:{$gt:1},'b.c':{$in:[1,'x']}},sort:{a:-1},projection:{b:{$slice:1}},limit:2}`,
		`{find:'c',filter:{b:{$elemMatch:{c:1}}},projection:{'b.$':1,z:{$add:['$a',1]}}}`,
		`{update:'c',updates:[{q:{a:1},u:{$push:{b:{$each:[1],$slice:2,$sort:{c:1}}},$inc:{'d.e':1}},upsert:true}]}`,
		`{update:'c',updates:[{q:{},u:[{$set:{x:{$concat:['a','$s']}}}],multi:true}]}`,
		`{update:'c',updates:[{q:{},u:{$set:{'b.$[i].c':9}},arrayFilters:[{'i.c':1}]}]}`,
		`{findAndModify:'c',query:{a:1},update:{z:1},new:true,fields:{_id:0}}`,
		`{aggregate:'c',cursor:{},pipeline:[{$unwind:'$b'},{$group:{_id:'$b.c',n:{$sum:'$a'},l:{$push:'$$ROOT'}}},{$sort:{n:1}},{$project:{n:1,q:{$map:{input:'$l',in:'$$this.a'}}}}]}`,
		`{aggregate:'c',cursor:{},pipeline:[{$lookup:{from:'c',let:{x:'$a'},pipeline:[{$match:{$expr:{$eq:['$a','$$x']}}}],as:'j'}},{$facet:{n:[{$count:'n'}]}}]}`,
		`{aggregate:'c',cursor:{},pipeline:[{$bucket:{groupBy:'$a',boundaries:[0,2,5]}},{$merge:{into:'d',whenMatched:[{$set:{n:'$$new.count'}}]}}]}`,
		`{aggregate:'c',cursor:{},pipeline:[{$project:{d:{$dateToString:{date:{$toDate:'2020-01-01'},format:'%Y',timezone:'+01'}},t:{$dateTrunc:{date:'$$NOW',unit:'week'}}}}]}`,
		`{createIndexes:'c',indexes:[{key:{a:1,'b.c':-1},name:'x',unique:true,partialFilterExpression:{a:{$gt:1}}}]}`,
		`{create:'d',validator:{$jsonSchema:{required:['a'],properties:{a:{bsonType:'int'}}}},collation:{locale:'en'}}`,
		`{bulkWrite:1,ops:[{insert:0,document:{a:1}},{update:0,filter:{a:1},updateMods:{$set:{b:2}}},{delete:0,filter:{}}],nsInfo:[{ns:'db.c'}]}`,
		`{delete:'c',deletes:[{q:{$or:[{a:1},{$nor:[{a:2}]}]},limit:0}]}`,
		`{distinct:'c',key:'b.c',query:{$expr:{$gt:['$a',0]}}}`,
		`{explain:{find:'c',filter:{a:1}}}`, `{collMod:'c',index:{name:'a',hidden:true}}`, `{listCollections:1,filter:{name:'c'}}`,
		`{dropIndexes:'c',index:['a']}`, `{renameCollection:'db.c',to:'db.e'}`, `{count:'c',query:{b:{$size:1}}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		quoted := bareKey.ReplaceAllString(strings.ReplaceAll(s, "'", `"`), `$1"$2":`)
		body, err := bson.ExtJSONToRaw([]byte(quoted), false)
		if err != nil {
			return
		}
		first, ok := body.Index(0)
		server := newServer(t)
		c, known := server.commands[first.Key]
		if !ok || !known || first.Key == "getMore" {
			return
		}
		server.run(t, `{insert:'c',documents:[{_id:1,a:1,b:[{c:1},{c:2}],s:'x'},{_id:2,a:2.5,b:[],s:null},{_id:3,a:[1,2],d:{e:1}}]}`)
		server.run(t, `{createIndexes:'c',indexes:[{key:{a:1},name:'a'}]}`)
		db := "db"
		switch first.Key {
		case "renameCollection", "listDatabases", "bulkWrite":
			db = "admin"
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		dst, start := bson.AppendDocumentStart(nil)
		dst, err = c(server.Engine, ctx, &engine.Request{Name: first.Key, DB: db, Body: body, WireVersion: 25}, dst)
		if err != nil {
			return
		}
		if err := bson.Raw(bson.AppendDocumentEnd(dst, start)).Validate(); err != nil {
			t.Errorf("%s: invalid reply: %v", body, err)
		}
	})
}
