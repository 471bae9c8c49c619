package engine_test

import "testing"

// entries returns the documents that the oplog's entries leave.
func (s *server) entries() (list []string) {
	for e := range s.Store().Oplog().After(0) {
		list = append(list, e.After.String())
	}
	return list
}

func TestReplacementByTheSameIsWritten(t *testing.T) {
	for name, command := range map[string]string{
		"update":        `{update:'c',updates:[{q:{_id:1},u:{a:1}}]}`,
		"pipeline":      `{update:'c',updates:[{q:{_id:1},u:[{$replaceWith:{a:1}}]}]}`,
		"findAndModify": `{findAndModify:'c',query:{_id:1},update:{a:1}}`,
		"bulkWrite":     `{bulkWrite:1,ops:[{update:0,filter:{_id:1},updateMods:{a:1}}],nsInfo:[{ns:'db.c'}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			s.run(t, `{insert:'c',documents:[{_id:1,a:1}]}`)
			before := len(s.entries())
			reply := s.run(t, command)
			if n, ok := reply.Lookup("nModified").AsInt64OK(); ok && n != 1 {
				t.Errorf("nModified is %d", n)
			}
			list := s.entries()
			if len(list) != before+1 || list[before] != parse(t, `{_id:1,a:1}`).String() {
				t.Errorf("the oplog has %v", list)
			}
		})
	}
}

func TestUpsertInsertsDollars(t *testing.T) {
	for name, command := range map[string]string{
		"update":                    `{update:'c',updates:[{q:{_id:1},u:{$set:{$a:2}},upsert:true}]}`,
		"update, replacing":         `{update:'c',updates:[{q:{_id:1},u:{_id:1,$a:2},upsert:true}]}`,
		"findAndModify":             `{findAndModify:'c',query:{_id:1},update:{$set:{$a:2}},upsert:true}`,
		"findAndModify, replacing":  `{findAndModify:'c',query:{_id:1},update:{_id:1,$a:2},upsert:true}`,
		"findAndModify, a pipeline": `{findAndModify:'c',query:{_id:1},update:[{$replaceWith:{$literal:{_id:1,$a:2}}}],upsert:true}`,
		"bulkWrite":                 `{bulkWrite:1,ops:[{update:0,filter:{_id:1},updateMods:{$set:{$a:2}},upsert:true}],nsInfo:[{ns:'db.c'}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			s.run(t, command)
			s.wantFound(t, `{find:'c'}`, `[{_id:1,$a:2}]`)
		})
	}
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1}]}`)
	s.wantFailure(t, `{findAndModify:'c',query:{_id:1},update:{$set:{$a:2}},upsert:true}`, 52, "$a")
}

// The constant of a pipeline is computed with the first document that matches, not when the update is read.
func TestUpdatesByPipelineFailOnDocuments(t *testing.T) {
	const pipeline = `[{$set:{a:{$divide:[1,0]}}}]`
	s := newServer(t)
	s.want(t, `{findAndModify:'c',query:{_id:2},update:`+pipeline+`}`, `null`, "value")
	update := `{update:'c',updates:[{q:{_id:2},u:` + pipeline + `}]}`
	bulk := `{bulkWrite:1,ops:[{update:0,filter:{_id:2},updateMods:` + pipeline + `}],nsInfo:[{ns:'db.c'}]}`
	s.want(t, update, `{n:0,nModified:0}`)
	s.want(t, bulk, `0`, "nErrors")
	s.run(t, `{insert:'c',documents:[{_id:2}]}`)
	s.wantWriteFailure(t, update, 2, "can't $divide by zero")
	s.want(t, bulk, `1`, "nErrors")
}
