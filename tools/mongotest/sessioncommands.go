// The commands over sessions: startSession, endSessions, refreshSessions, killSessions, killAllSessions and
// killAllSessionsByPattern.
//
// Left out: operations that run are not ended with their sessions; patterns other than users.

package mongotest

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
)

func sessionCommands() []command {
	return []command{
		{name: "startSession", run: startSession},
		{name: "endSessions", traits: apiV1, run: endSessions},
		{name: "refreshSessions", traits: apiV1, run: refreshSessions},
		{name: "killSessions", run: killSessions},
		{name: "killAllSessions", run: killAllSessions},
		{name: "killAllSessionsByPattern", run: killAllSessions},
	}
}

// startSession begins a session and answers with its id.
func startSession(r *request) (bson.Raw, error) {
	dst, start := bson.AppendDocumentStart(nil)
	id := bson.NewUUID()
	dst = bson.AppendBinaryElement(dst, "id", bsontype.BinaryUUID, id[:])
	lsid := bson.Raw(bson.AppendDocumentEnd(dst, start))
	r.d.sessions.get(r.owner(), lsid)
	return newReply().doc("id", lsid).int32("timeoutMinutes", int32(r.d.sessions.timeoutMinutes)).done(), nil
}

// endSessions forgets the user's sessions that it names, closes their cursors and aborts their transactions. Servers do so
// within minutes; this one does it at once.
func endSessions(r *request) (bson.Raw, error) {
	lsids, err := r.lsids()
	if err != nil {
		return nil, err
	}
	for _, lsid := range lsids {
		r.d.sessions.end(r.owner(), lsid)
	}
	return newReply().done(), nil
}

// killSessions closes the cursors of the sessions that it names and aborts their transactions; they can be used on. Left
// out: operations that run.
func killSessions(r *request) (bson.Raw, error) {
	lsids, err := r.lsids()
	if err != nil {
		return nil, err
	}
	for _, lsid := range lsids {
		r.d.sessions.kill(r.owner(), lsid, false)
	}
	return newReply().done(), nil
}

// refreshSessions keeps the sessions that it names alive.
func refreshSessions(r *request) (bson.Raw, error) {
	lsids, err := r.lsids()
	if err != nil {
		return nil, err
	}
	for _, lsid := range lsids {
		r.d.sessions.get(r.owner(), lsid)
	}
	return newReply().done(), nil
}

// killAllSessions ends every session, or those of the users that it names. Left out: patterns other than users.
func killAllSessions(r *request) (bson.Raw, error) {
	named := r.body.Lookup(r.name)
	if named.Type != bsontype.Array {
		return nil, wrongType(r.name+"."+r.name, named, "array")
	}
	users := map[principal]bool{}
	for _, user := range docsOf(named) {
		name, _ := user.Lookup("user").StringOK()
		db, _ := user.Lookup("db").StringOK()
		users[principal{name, db}] = true
	}
	for _, s := range r.d.sessions.all() {
		if len(users) == 0 || users[s.owner] {
			r.d.sessions.end(s.owner, s.id)
		}
	}
	return newReply().done(), nil
}

// lsids are the sessions that a command names.
func (r *request) lsids() ([]bson.Raw, error) {
	value := r.body.Lookup(r.name)
	array, ok := value.ArrayOK()
	if !ok {
		return nil, wrongType(r.name+"."+r.name, value, "array")
	}
	var out []bson.Raw
	for _, item := range array.All() {
		if err := checkLSID(r.name+"."+r.name+"FromClient", item); err != nil {
			return nil, err
		}
		lsid, _ := item.DocumentOK()
		out = append(out, lsid)
	}
	return out, nil
}

// localSessions lists the sessions of all users for the stage $listLocalSessions.
func (d *Deployment) localSessions(_ *engine.Request, _ bson.Raw) ([]bson.Raw, error) {
	d.sessions.mu.Lock()
	defer d.sessions.mu.Unlock()
	var list []bson.Raw
	for key, s := range d.sessions.byKey {
		dst, start := bson.AppendDocumentStart(nil)
		dst, inner := bson.AppendDocumentElementStart(dst, "_id")
		dst = bson.AppendBinaryElement(dst, "id", bsontype.BinaryUUID, key.id[:])
		uid := key.owner.digest()
		dst = bson.AppendBinaryElement(dst, "uid", bsontype.BinaryGeneric, uid[:])
		dst = bson.AppendDocumentEnd(dst, inner)
		dst = bson.AppendDateTimeElement(dst, "lastUse", s.lastUse.UnixMilli())
		list = append(list, bson.AppendDocumentEnd(dst, start))
	}
	return list, nil
}

// digest is the uid of the user's sessions.
func (p principal) digest() engine.UserDigest { return engine.DigestOf(p.name, p.db) }
