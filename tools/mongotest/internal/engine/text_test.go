package engine_test

import "testing"

const articles = `{insert:'c',documents:[
	{_id:1,subject:'coffee',author:'xyz',views:50},{_id:2,subject:'Coffee Shopping',author:'efg',views:5},
	{_id:3,subject:'Baking a cake',author:'abc',views:90},{_id:4,subject:'baking',author:'xyz',views:100},
	{_id:5,subject:'Café Con Leche',author:'abc',views:200},{_id:6,subject:'Сырники',author:'jkl',views:80},
	{_id:7,subject:'coffee and cream',author:'efg',views:10},{_id:8,subject:'Cafe con Leche',author:'xyz',views:10}]}`

func TestTextSearch(t *testing.T) {
	s := newServer(t)
	s.run(t, articles)
	s.wantFailure(t, `{find:'c',filter:{$text:{$search:'coffee'}}}`, 27, "text index required for $text query")
	s.run(t, `{createIndexes:'c',indexes:[{key:{subject:'text'},name:'t'}]}`)
	for _, c := range []struct{ name, search, want string }{
		{"one word", `{$search:'coffee'}`, `[{all:[1,2,7]}]`},
		{"any of several words", `{$search:'bake coffee cake'}`, `[{all:[1,2,3,4,7]}]`},
		{"a phrase", `{$search:'\"coffee shop\"'}`, `[{all:[2]}]`},
		{"a phrase and a word", `{$search:'baking \"coffee shop\"'}`, `[{all:[2]}]`},
		{"two phrases", `{$search:'\"coffee\" \"cream\"'}`, `[{all:[7]}]`},
		{"without a word", `{$search:'coffee -shop'}`, `[{all:[1,7]}]`},
		{"without a phrase", `{$search:'coffee -\"and cream\"'}`, `[{all:[1,2]}]`},
		{"a hyphen in a word negates nothing", `{$search:'cream-shop'}`, `[{all:[2,7]}]`},
		{"only what is not wanted", `{$search:'-coffee'}`, `[]`},
		{"a stop word", `{$search:'and'}`, `[]`},
		{"in another language and alphabet", `{$search:'leche',$language:'es'}`, `[{all:[5,8]}]`},
		{"without a language", `{$search:'baking',$language:'none'}`, `[]`},
		{"case and marks are ignored", `{$search:'сырники CAFÉS'}`, `[{all:[5,6,8]}]`},
		{"case is minded", `{$search:'Coffee',$caseSensitive:true}`, `[{all:[2]}]`},
		{"case is minded in a phrase", `{$search:'\"Café Con Leche\"',$caseSensitive:true}`, `[{all:[5]}]`},
		{"marks are minded", `{$search:'CAFÉ',$diacriticSensitive:true}`, `[{all:[5]}]`},
		{"marks are minded in what is not wanted", `{$search:'leches -cafés',$diacriticSensitive:true}`, `[{all:[8]}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.want(t, `{aggregate:'c',cursor:{},pipeline:[{$match:{$text:`+c.search+`}},{$sort:{_id:1}},{$group:{_id:1,all:{$push:'$_id'}}},{$unset:'_id'}]}`,
				c.want, "cursor", "firstBatch")
		})
	}
}

func TestTextScores(t *testing.T) {
	s := newServer(t)
	s.run(t, articles)
	s.run(t, `{createIndexes:'c',indexes:[{key:{subject:'text'},name:'t'}]}`)
	score := `score:{$meta:'textScore'}`
	s.wantFound(t, `{find:'c',filter:{$text:{$search:'cake'}},projection:{`+score+`}}`, `[{_id:3,subject:'Baking a cake',author:'abc',views:90,score:0.75}]`)
	s.wantFound(t, `{find:'c',filter:{$text:{$search:'coffee'}},projection:{_id:1,`+score+`},sort:{`+score+`,_id:1}}`,
		`[{_id:1,score:1.0},{_id:2,score:0.75},{_id:7,score:0.75}]`)
	s.wantFound(t, `{find:'c',filter:{$text:{$search:'coffee'}},projection:{_id:1},sort:{`+score+`,_id:-1},limit:2}`, `[{_id:1},{_id:7}]`)
	s.wantFound(t, `{aggregate:'c',cursor:{},pipeline:[{$match:{$text:{$search:'cake bake'}}},{$sort:{`+score+`,_id:1}},{$unset:['author','views']},
		{$project:{subject:1,s:{$meta:'textScore'}}},{$match:{s:{$gt:1}}}]}`, `[{_id:3,subject:'Baking a cake',s:1.5}]`)
	s.wantFound(t, `{aggregate:'c',cursor:{},pipeline:[{$match:{$text:{$search:'coffee'}}},{$group:{_id:null,sum:{$sum:{$meta:'textScore'}}}}]}`,
		`[{_id:null,sum:2.5}]`)
	s.run(t, `{findAndModify:'c',query:{$text:{$search:'coffee'}},sort:{`+score+`},update:{$set:{best:true}}}`)
	s.wantFound(t, `{find:'c',filter:{best:true},projection:{_id:1}}`, `[{_id:1}]`)
}

func TestTextIndexes(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'w',documents:[{_id:1,content:'food fish',about:'beverage'},{_id:2,content:'beverage',about:'food'},
		{_id:3,content:'none',deep:{about:['Fish and more',{x:'water'}]}}]}`)
	s.run(t, `{createIndexes:'w',indexes:[{key:{content:'text',about:'text','deep.about':'text'},weights:{content:10},name:'t'}]}`)
	score := `{find:'w',filter:{$text:{$search:'food'}},projection:{_id:1,s:{$meta:'textScore'}},sort:{s:{$meta:'textScore'}}}`
	s.wantFound(t, score, `[{_id:1,s:7.5},{_id:2,s:1.1}]`)
	s.want(t, `{distinct:'w',key:'_id',query:{$text:{$search:'fish water'}}}`, `[1,3]`, "values")
	s.run(t, `{insert:'l',documents:[{_id:1,q:'running',language:'none'},{_id:2,q:'running'},{_id:3,a:{idioma:'es',q:'corriendo'}}]}`)
	s.run(t, `{createIndexes:'l',indexes:[{key:{'$**':'text'},name:'t'}]}`)
	s.want(t, `{distinct:'l',key:'_id',query:{$text:{$search:'run'}}}`, `[2]`, "values")
	s.want(t, `{distinct:'l',key:'_id',query:{$text:{$search:'running',$language:'none'}}}`, `[1]`, "values")
	s.wantWriteFailure(t, `{insert:'l',documents:[{q:'x',language:'klingon'}]}`, 17262, "language override unsupported: klingon")
	s.wantWriteFailure(t, `{insert:'l',documents:[{q:'x',language:1}]}`, 17261, "found language override field in document with non-string type")
	s.run(t, `{createIndexes:'p',indexes:[{key:{dept:1,q:'text'},name:'t',default_language:'none'}]}`)
	s.run(t, `{insert:'p',documents:[{_id:1,dept:'a',q:'the cat'},{_id:2,dept:'b',q:'the cat'}]}`)
	s.want(t, `{distinct:'p',key:'_id',query:{dept:'b',$text:{$search:'the'}}}`, `[2]`, "values")
	s.wantFailure(t, `{find:'p',filter:{$text:{$search:'the'}}}`, 291, "if text index is compound, are equality predicates given for all prefix fields?")
	s.run(t, `{update:'p',updates:[{q:{_id:2},u:{$set:{q:'a dog'}}}]}`)
	s.want(t, `{distinct:'p',key:'_id',query:{dept:'b',$text:{$search:'the'}}}`, `[]`, "values")
	s.want(t, `{count:'p',query:{dept:'b',$text:{$search:'dog'}}}`, `1`, "n")
}

func TestTextRefusals(t *testing.T) {
	s := newServer(t)
	s.run(t, articles)
	s.run(t, `{createIndexes:'c',indexes:[{key:{subject:'text'},name:'t'}]}`)
	find := func(filter string) string { return `{find:'c',filter:` + filter + `}` }
	for _, c := range []struct {
		name, command string
		code          int32
		text          string
	}{
		{"no document", find(`{$text:1}`), 2, "$text expects an object"},
		{"nothing to search", find(`{$text:{$language:'none'}}`), 4, `Missing expected field "$search"`},
		{"a number to search", find(`{$text:{$search:1}}`), 14, `"$search" had the wrong type. Expected string, found int`},
		{"an unknown argument", find(`{$text:{$search:'x',$foo:1}}`), 2, "extra fields in $text"},
		{"an unknown language", find(`{$text:{$search:'x',$language:'klingon'}}`), 2, `unsupported language: "klingon" for text index version 3`},
		{"two searches", find(`{$and:[{$text:{$search:'x'}},{$text:{$search:'y'}}]}`), 2, "Too many text expressions"},
		{"in $nor", find(`{$nor:[{$text:{$search:'x'}}]}`), 2, "text expression not allowed in nor"},
		{"in $elemMatch", find(`{a:{$elemMatch:{$text:{$search:'x'}}}}`), 2, "$text can only be applied to the top-level document"},
		{"with a hint", `{find:'c',filter:{$text:{$search:'x'}},hint:'_id_'}`, 2, "text and hint not allowed in same query"},
		{"in an $or without indexes", find(`{$or:[{$text:{$search:'x'}},{views:5}]}`), 291, "other non-TEXT clauses under OR have to be indexed as well"},
		{"behind another stage", `{aggregate:'c',cursor:{},pipeline:[{$limit:1},{$match:{$text:{$search:'x'}}}]}`, 17313, "$match with $text is only allowed as the first pipeline stage"},
		{"no collection", `{find:'x',filter:{$text:{$search:'x'}}}`, 27, "text index required for $text query (no such collection 'db.x')"},
		{"a score without a search", `{find:'c',projection:{s:{$meta:'textScore'}}}`, 40218, "query requires text score metadata, but it is not available"},
		{"a sort without a search", `{aggregate:'c',cursor:{},pipeline:[{$sort:{s:{$meta:'textScore'}}}]}`, 40218, "query requires text score metadata, but it is not available"},
		{"a second text index", `{createIndexes:'c',indexes:[{key:{x:1,author:'text'},name:'u'}]}`, 67, "only one text index per collection allowed"},
		{"an unknown default language", `{createIndexes:'d',indexes:[{key:{a:'text'},name:'u',default_language:'klingon'}]}`, 67, "default_language is not valid"},
		{"an unknown language", `{find:'c',filter:{$text:{$search:'x',$language:'klingon'}}}`, 2, "unsupported language"},
		{"a weight of nothing", `{createIndexes:'d',indexes:[{key:{a:'text'},name:'u',weights:{a:0}}]}`, 67, "text index weight must be in the exclusive interval"},
	} {
		t.Run(c.name, func(t *testing.T) { s.wantFailure(t, c.command, c.code, c.text) })
	}
}

func TestTextPlans(t *testing.T) {
	s := newServer(t)
	s.run(t, articles)
	s.run(t, `{createIndexes:'c',indexes:[{key:{subject:'text'},name:'t'},{key:{views:1},name:'v'}]}`)
	plan := []string{"queryPlanner", "winningPlan"}
	s.want(t, `{explain:{find:'c',filter:{$text:{$search:'cakes -\"big one\" -x'}}}}`,
		`{terms:['cake'],negatedTerms:['x'],phrases:[],negatedPhrases:['big one']}`, append(plan, "parsedTextQuery")...)
	s.want(t, `{explain:{find:'c',filter:{$text:{$search:'cakes'}}}}`, `'TEXT_MATCH'`, append(plan, "stage")...)
	s.want(t, `{explain:{find:'c',filter:{$text:{$search:'cakes'}}}}`, `{_fts:'text',_ftsx:1}`, append(plan, "inputStage", "inputStage", "keyPattern")...)
	s.want(t, `{explain:{find:'c',filter:{$text:{$search:'cakes'}}},verbosity:'executionStats'}`, `1`, "executionStats", "totalDocsExamined")
	s.want(t, `{explain:{find:'c',filter:{$text:{$search:'a b cakes'}},projection:{s:{$meta:'textScore'}}}}`, `'TEXT_OR'`,
		append(plan, "inputStage", "inputStage", "stage")...)
	s.want(t, `{distinct:'c',key:'_id',query:{$or:[{$text:{$search:'cake'}},{views:{$gte:100}}]}}`, `[3,4,5]`, "values")
}

func TestMetadata(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,a:3,g:[0,0]},{_id:2,a:1,g:[1,0]},{_id:3,a:2,g:[0,3]}]}`)
	s.run(t, `{createIndexes:'c',indexes:[{key:{a:1},name:'a'},{key:{g:'2d'},name:'g'}]}`)
	s.wantFound(t, `{find:'c',filter:{a:2},projection:{_id:1,k:{$meta:'indexKey'},r:{$meta:'recordId'}}}`, `[{_id:3,k:{a:2},r:{$numberLong:'3'}}]`)
	s.wantFound(t, `{find:'c',projection:{_id:1,k:{$meta:'sortKey'}},sort:{a:-1},limit:1}`, `[{_id:1,k:[3]}]`)
	s.wantFailure(t, `{find:'c',projection:{k:{$meta:'sortKey'}}}`, 2, "cannot use sortKey $meta projection without a sort")
	s.wantFound(t, `{aggregate:'c',cursor:{},pipeline:[{$geoNear:{near:[0,1],distanceField:'d',key:'g'}},{$limit:1},{$project:{d:{$meta:'geoNearDistance'},p:{$meta:'geoNearPoint'}}}]}`,
		`[{_id:1,d:1.0,p:[0,0]}]`)
	s.wantFound(t, `{aggregate:'c',cursor:{},pipeline:[{$sort:{a:1}},{$project:{_id:1,k:{$meta:'sortKey'}}},{$limit:1}]}`, `[{_id:2,k:[1]}]`)
	s.wantFailure(t, `{find:'c',projection:{k:{$meta:'foo'}}}`, 17308, "Unsupported argument to $meta: foo")
	s.wantFailure(t, `{find:'c',projection:{k:{$meta:1}}}`, 17307, "$meta only supports string arguments")
}

// Each language stems its words, and leaves out those that are too common.
func TestTextOfEveryLanguage(t *testing.T) {
	for language, c := range map[string]struct{ text, search, common string }{
		"danish":     {"de store bøger", "bøgerne", "de"},
		"dutch":      {"de grote huizen", "huis huizen", "de"},
		"english":    {"the bigger houses", "house", "the"},
		"finnish":    {"minä luen kirjoja", "kirja kirjoja", "minä"},
		"french":     {"et grandes maisons", "maison", "et"},
		"german":     {"die großen Häuser", "Häusern", "die"},
		"hungarian":  {"a nagy házak", "házakat házak", "a"},
		"italian":    {"le grandi case della città", "casa", "della"},
		"norwegian":  {"og store husene", "huset", "og"},
		"portuguese": {"as grandes casas", "casa", "as"},
		"romanian":   {"o casă mare", "casele casă", "o"},
		"russian":    {"и большие дома", "домами", "и"},
		"spanish":    {"las casas grandes", "casa", "las"},
		"swedish":    {"och stora husen", "hus", "och"},
		"turkish":    {"bu büyük kitaplar", "kitap", "bu"},
	} {
		t.Run(language, func(t *testing.T) {
			s := newServer(t)
			s.run(t, `{createIndexes:'c',indexes:[{key:{t:'text'},name:'t',default_language:'`+language+`'}]}`)
			s.run(t, `{insert:'c',documents:[{_id:1,t:'`+c.text+`'},{_id:2,t:'xyz'}]}`)
			s.wantFound(t, `{find:'c',filter:{$text:{$search:'`+c.search+`'}},projection:{_id:1}}`, `[{_id:1}]`)
			s.wantFound(t, `{find:'c',filter:{$text:{$search:'`+c.common+`'}}}`, `[]`)
			s.run(t, `{insert:'c',documents:[{_id:3,language:'`+language+`',t:'`+c.text+`'}]}`)
			s.wantFound(t, `{find:'c',filter:{$text:{$search:'`+c.search+`',$language:'`+language+`'}},projection:{_id:1},sort:{_id:1}}`, `[{_id:1},{_id:3}]`)
		})
	}
}

// A key of a unique text index is a term with its score.
func TestUniqueTextIndex(t *testing.T) {
	s := newServer(t)
	s.run(t, `{createIndexes:'c',indexes:[{key:{t:'text'},name:'t',unique:true}]}`)
	s.run(t, `{insert:'c',documents:[{_id:1,t:'coffee'},{_id:2,t:'coffee with cream'}]}`)
	s.wantWriteFailure(t, `{insert:'c',documents:[{_id:3,t:'coffee'}]}`, 11000, "index: t dup key")
	s.wantFound(t, `{find:'c',filter:{$text:{$search:'coffee'}},projection:{_id:1},sort:{_id:1}}`, `[{_id:1},{_id:2}]`)
}
