package engine_test

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// The stages over sessions and operations refuse the options that servers do.
func TestOptionsOfStagesOverSessions(t *testing.T) {
	s := newServer(t)
	for _, test := range []struct {
		db, command string
		code        int32
		text        string
	}{
		{"admin", `{aggregate:1,cursor:{},pipeline:[{$listLocalSessions:{}}]}`, 0, ""},
		{"admin", `{aggregate:1,cursor:{},pipeline:[{$listLocalSessions:1}]}`, 14, "$listLocalSessions options must be specified in an object, but found: int"},
		{"admin", `{aggregate:1,cursor:{},pipeline:[{$listLocalSessions:{allUsers:1}}]}`, 14, "'$listLocalSessions.allUsers' is the wrong type 'int', expected type 'bool'"},
		{"admin", `{aggregate:1,cursor:{},pipeline:[{$listLocalSessions:{users:1}}]}`, 14, "'$listLocalSessions.users' is the wrong type 'int', expected type 'array'"},
		{"admin", `{aggregate:1,cursor:{},pipeline:[{$listLocalSessions:{users:[1]}}]}`, 14, "'$listLocalSessions.users.0' is the wrong type 'int', expected type 'object'"},
		{"admin", `{aggregate:1,cursor:{},pipeline:[{$listLocalSessions:{users:[{user:'a'}]}}]}`, 40414, "'$listLocalSessions.users.db' is missing"},
		{"admin", `{aggregate:1,cursor:{},pipeline:[{$listLocalSessions:{users:[{user:'a',db:1}]}}]}`, 14, "'$listLocalSessions.users.db' is the wrong type"},
		{"admin", `{aggregate:1,cursor:{},pipeline:[{$listLocalSessions:{users:[{user:'a',db:'b',x:1}]}}]}`, 40415, ""},
		{"admin", `{aggregate:1,cursor:{},pipeline:[{$listLocalSessions:{x:1}}]}`, 40415, "'$listLocalSessions.x' is an unknown field"},
		{"admin", `{aggregate:1,cursor:{},pipeline:[{$listLocalSessions:{allUsers:true,users:[{user:'a',db:'b'}]}}]}`, 12, "at the same time"},
		{"admin", `{aggregate:1,cursor:{},pipeline:[{$listLocalSessions:{allUsers:true,users:[]}}]}`, 0, ""},
		{"config", `{aggregate:'system.sessions',cursor:{},pipeline:[{$listSessions:{allUsers:true}}]}`, 0, ""},
		{"config", `{aggregate:'c',cursor:{},pipeline:[{$listSessions:{}}]}`, 73, "$listSessions may only be run against config.system.sessions"},
		{"db", `{aggregate:'system.sessions',cursor:{},pipeline:[{$listSessions:{}}]}`, 73, "$listSessions may only be run"},
		{"admin", `{aggregate:1,cursor:{},pipeline:[{$currentOp:{allUsers:true,idleSessions:false}}]}`, 0, ""},
		{"admin", `{aggregate:1,cursor:{},pipeline:[{$currentOp:1}]}`, 14, "$currentOp options must be specified in an object, but found: int"},
		{"admin", `{aggregate:1,cursor:{},pipeline:[{$currentOp:{x:1}}]}`, 9, "Unrecognized option 'x' in $currentOp stage."},
		{"admin", `{aggregate:1,cursor:{},pipeline:[{$currentOp:{allUsers:1}}]}`, 9, "The 'allUsers' parameter of the $currentOp stage must be a boolean value"},
		{"db", `{aggregate:1,cursor:{},pipeline:[{$currentOp:{x:1}}]}`, 73, "'admin' database"},
	} {
		_, err := s.request(t, &engine.Request{DB: test.db, Body: parse(t, test.command)})
		var e status.Error
		if err != nil {
			e = *status.From(err)
		}
		if int32(e.Code) != test.code || !strings.Contains(e.Message, test.text) {
			t.Errorf("%s\n got %d %s\nwant %d %s", test.command, e.Code, e.Message, test.code, test.text)
		}
	}
}
