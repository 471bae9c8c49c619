package expr_test

import "testing"

func TestBinaryData(t *testing.T) {
	const (
		uuid  = `{$binary:{base64:'AAECAwQFBgcICQoLDA0ODw==',subType:'04'}}`
		bytes = `{$binary:{base64:'/+8=',subType:'00'}}`
	)
	to := func(input, kind, more string) string {
		return `{$convert:{input:` + input + `,to:` + kind + more + `}}`
	}
	check(t, []outcome{
		gives("a UUID", `{$toUUID:'00010203-0405-0607-0809-0a0b0c0d0e0f'}`, uuid),
		gives("a UUID as text", to(uuid, `'string'`, `,format:'uuid'`), `'00010203-0405-0607-0809-0a0b0c0d0e0f'`),
		gives("a UUID as its type asks", to(uuid, `'string'`, `,format:'auto'`), `'00010203-0405-0607-0809-0a0b0c0d0e0f'`),
		gives("base64", to(bytes, `'string'`, `,format:'base64'`), `'/+8='`),
		gives("base64url", to(bytes, `'string'`, `,format:'base64url'`), `'_-8'`),
		gives("hex", to(bytes, `'string'`, `,format:'hex'`), `'FFEF'`),
		gives("from hex", to(`'ffef'`, `{type:'binData'}`, `,format:'hex'`), bytes),
		gives("from base64url", to(`'_-8'`, `{type:'binData',subtype:0}`, `,format:'base64url'`), bytes),
		gives("from a text", to(`'hé'`, `{type:'binData',subtype:5}`, `,format:'utf8'`), `{$binary:{base64:'aMOp',subType:'05'}}`),
		gives("a number", to(`{$binary:{base64:'AQI=',subType:'00'}}`, `'int'`, ``), `513`),
		gives("a number, the big end first", to(`{$binary:{base64:'AQI=',subType:'00'}}`, `'long'`, `,byteOrder:'big'`), `{$numberLong:'258'}`),
		gives("a negative number", to(bytes, `'int'`, `,byteOrder:'big'`), `-17`),
		gives("of a number", to(`1`, `'binData'`, `,byteOrder:'big'`), `{$binary:{base64:'AAAAAQ==',subType:'00'}}`),
		gives("what is no hex", to(`'xyz'`, `'binData'`, `,format:'hex',onError:'no'`), `'no'`),
		refuses("without a format", to(bytes, `'string'`, ``), 4341115, "Format must be speficied"),
		refuses("an unknown format", to(bytes, `'string'`, `,format:'rot13'`), 4341125, "Invalid 'format' argument for $convert: rot13"),
		refuses("no UUID", `{$toUUID:'x'}`, 241, "could not be parsed as uuid"),
		gives("subtype", `{$subtype:`+uuid+`}`, `4`),
		gives("sigmoid", `{$sigmoid:0}`, `0.5`),
		gives("the cosine of vectors", `{$similarityCosine:[[1,0],[1,0]]}`, `1.0`),
		gives("their product", `{$similarityDotProduct:[[1,2],[3,4]]}`, `11.0`),
		gives("their distance", `{$similarityEuclidean:[[0,0],[3,4]]}`, `5.0`),
		gives("a score", `{$similarityCosine:{vectors:[[1,0],[0,1]],score:true}}`, `0.5`),
		refuses("vectors of two sizes", `{$similarityCosine:[[1],[0,1]]}`, 10413202, "must have the same size"),
	})
}
