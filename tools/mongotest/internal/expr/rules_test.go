package expr_test

import "testing"

func TestZonesInDateTexts(t *testing.T) {
	const utc = `{$date:'2024-01-02T03:04:05Z'}`
	check(t, []outcome{
		gives("UTC", `{$toDate:'2024-01-02 03:04:05 UTC'}`, utc),
		gives("Z apart", `{$toDate:'2024-01-02T03:04:05 Z'}`, utc),
		gives("GMT with an offset", `{$toDate:'2024-01-02 05:04:05 GMT+02:00'}`, utc),
		gives("an offset apart", `{$toDate:'2024-01-02T05:04:05 +0200'}`, utc),
		gives("a short offset", `{$toDate:'2024-01-02T05:04:05+2'}`, utc),
		gives("an abbreviation", `{$toDate:'2024-01-01T22:04:05 EST'}`, utc),
		gives("a name", `{$dateFromString:{dateString:'2024-01-02T04:04:05 Europe/Berlin'}}`, utc),
		gives("behind a date", `{$toDate:'2024-01-02 GMT'}`, `{$date:'2024-01-02T00:00:00Z'}`),
		refuses("an unknown zone", `{$toDate:'2024-01-02T03:04:05 XYZ'}`, 241, "Error parsing date string"),
		refuses("a zone and a timezone", `{$dateFromString:{dateString:'2024-01-02T03:04:05 EST',timezone:'UTC'}}`, 241, "together with a timezone argument"),
		gives("one digit of a fraction", `{$dateFromString:{dateString:'2024-01-02T03:04:05.1',format:'%Y-%m-%dT%H:%M:%S.%L'}}`, `{$date:'2024-01-02T03:04:05.1Z'}`),
		gives("two digits of a fraction", `{$dateFromString:{dateString:'2024-01-02T03:04:05.12',format:'%Y-%m-%dT%H:%M:%S.%L'}}`, `{$date:'2024-01-02T03:04:05.12Z'}`),
		gives("minutes of a zone", `{$dateToString:{date:{$date:'2024-01-02T03:04:05Z'},format:'%Z',timezone:'+01:00'}}`, `'60'`),
	})
}

func TestConstantsAndTheirOrder(t *testing.T) {
	const binary, id = `type:'binData'`, `'867dee52-c331-484e-92d1-c56479b8e67e'`
	check(t, []outcome{
		gives("a literal name", `{$setField:{field:{$literal:'$a'},input:{},value:1}}`, `{$a:1}`),
		refuses("a name that is computed", `{$setField:{field:{$concat:['a','b']},input:{},value:1}}`, 4161106, "constant"),
		refuses("a name that is a document", `{$setField:{field:{a:1},input:{},value:1}}`, 4161106, "constant"),
		refuses("a computed name to unset", `{$unsetField:{field:{$toLower:'A'},input:{}}}`, 4161106, "constant"),
		refuses("operands before constants", `{$add:[{$divide:[1,0]},{$subtract:[1]}]}`, 16020, "takes exactly 2"),
		refuses("operands of $ifNull before constants", `{$add:[{$divide:[1,0]},{$ifNull:[1]}]}`, 1257300, ""),
		refuses("the constant itself", `{$add:[{$divide:[1,0]},1]}`, 2, "divide by zero"),
		gives("a UUID", `{$convert:{input:`+id+`,to:{`+binary+`,subtype:4},format:'uuid'}}`, `{$binary:{base64:'hn3uUsMxSE6S0cVkebjmfg==',subType:'04'}}`),
		refuses("a UUID of base64", `{$convert:{input:'hn3uUsMxSE6S0cVkebjmfg==',to:{`+binary+`,subtype:4},format:'base64'}}`, 241, "UUID format"),
		refuses("a UUID of another subtype", `{$convert:{input:'x',to:{`+binary+`,subtype:0},format:'uuid'}}`, 241, "UUID subtype"),
		refuses("half a subtype", `{$convert:{input:'x',to:{`+binary+`,subtype:1.5},format:'utf8'}}`, 4341106, "not an integer"),
		refuses("a text as subtype", `{$convert:{input:'x',to:{`+binary+`,subtype:'a'},format:'utf8'}}`, 4341108, "number"),
		refuses("a number as byte order", `{$convert:{input:1,to:'int',byteOrder:1}}`, 9130001, "string"),
		refuses("an unknown byte order", `{$convert:{input:1,to:'int',byteOrder:'x'}}`, 9130002, "'byteOrder'"),
		refuses("no subtype", `{$convert:{input:'x',to:{`+binary+`,subtype:300},format:'utf8'}}`, 4341107, "300"),
		gives("a subtype of users", `{$convert:{input:'hi',to:{`+binary+`,subtype:128},format:'utf8'}}`, `{$binary:{base64:'aGk=',subType:'80'}}`),
		gives("a timestamp in capitals", `{$toUpper:{$timestamp:{t:1,i:10}}}`, `'JAN  1 00:00:01:A'`),
		gives("a part of a timestamp", `{$substr:[{$timestamp:{t:1,i:2}},0,3]}`, `'Jan'`),
	})
}
