// The commands over sessions: startSession, endSessions, refreshSessions, killSessions, killAllSessions and
// killAllSessionsByPattern, and the stage $listLocalSessions.
//
// Left out: patterns other than users.

package session

import (
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/login"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// RunStart starts a session and answers with its id.
func (s *Registry) RunStart(owner login.Principal) (bson.Raw, error) {
	dst, start := bson.AppendDocumentStart(nil)
	id := bson.NewUUID()
	dst = bson.AppendBinaryElement(dst, "id", bsontype.BinaryUUID, id[:])
	lsid := bson.Raw(bson.AppendDocumentEnd(dst, start))
	s.get(owner, lsid)
	return reply.New().Doc("id", lsid).Int32("timeoutMinutes", int32(s.TimeoutMinutes)).Done(), nil
}

// RunEnd ends the sessions that the command names, closes their cursors and aborts their transactions. mongotest does
// so at once; servers take minutes.
func (s *Registry) RunEnd(c *call.Call, owner login.Principal) (bson.Raw, error) {
	return eachSession(c, func(lsid bson.Raw) { s.end(owner, lsid) })
}

// RunKill closes the cursors of the sessions that the command names and aborts their transactions. The sessions stay
// usable.
func (s *Registry) RunKill(c *call.Call, owner login.Principal) (bson.Raw, error) {
	return eachSession(c, func(lsid bson.Raw) { s.kill(owner, lsid, false) })
}

// RunRefresh keeps the sessions alive that the command names.
func (s *Registry) RunRefresh(c *call.Call, owner login.Principal) (bson.Raw, error) {
	return eachSession(c, func(lsid bson.Raw) { s.get(owner, lsid) })
}

// RunKillAll ends every session, or the sessions of the users that the command names.
func (s *Registry) RunKillAll(c *call.Call) (bson.Raw, error) {
	named := c.Value()
	if named.Type != bsontype.Array {
		return nil, status.WrongType(strings.ToUpper(c.Name[:1])+c.Name[1:]+"Cmd."+c.Name, named, "array")
	}
	users := map[login.Principal]bool{}
	for _, user := range call.Documents(named) {
		name, _ := user.Lookup("user").StringOK()
		db, _ := user.Lookup("db").StringOK()
		users[login.Principal{Name: name, DB: db}] = true
	}
	for _, one := range s.all() {
		if len(users) == 0 || users[one.owner] {
			s.end(one.owner, one.ID)
		}
	}
	return reply.OK(), nil
}

// eachSession checks all session ids of a command before it acts on the first one.
func eachSession(c *call.Call, do func(lsid bson.Raw)) (bson.Raw, error) {
	value := c.Value()
	array, ok := value.ArrayOK()
	if !ok {
		return nil, status.WrongType(c.Name+"."+c.Name, value, "array")
	}
	var lsids []bson.Raw
	for _, item := range array.All() {
		if err := checkLSID(c.Name+"."+c.Name+"FromClient", item); err != nil {
			return nil, err
		}
		lsid, _ := item.DocumentOK()
		lsids = append(lsids, lsid)
	}
	for _, lsid := range lsids {
		do(lsid)
	}
	return reply.OK(), nil
}

// List describes all users' sessions for the stage $listLocalSessions.
func (s *Registry) List(*engine.Request, bson.Raw) ([]bson.Raw, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []bson.Raw
	for key, one := range s.byKey {
		dst, start := bson.AppendDocumentStart(nil)
		dst, inner := bson.AppendDocumentElementStart(dst, "_id")
		dst = bson.AppendBinaryElement(dst, "id", bsontype.BinaryUUID, key.id[:])
		uid := key.owner.Digest()
		dst = bson.AppendBinaryElement(dst, "uid", bsontype.BinaryGeneric, uid[:])
		dst = bson.AppendDocumentEnd(dst, inner)
		dst = bson.AppendDateTimeElement(dst, "lastUse", one.lastUse.UnixMilli())
		list = append(list, bson.AppendDocumentEnd(dst, start))
	}
	return list, nil
}

// Restore starts the session of a document of config.system.sessions, as a restore of a dump inserts it, unless its time is
// over. Only sessions outside authentication can be used again: the others name their user by a digest.
func (s *Registry) Restore(doc bson.Raw) {
	lsid, _ := doc.Lookup("_id").DocumentOK()
	_, uid, _ := lsid.Lookup("uid").BinaryOK()
	lastUse, ok := doc.Lookup("lastUse").TimeOK()
	owner := login.Principal{}
	digest := owner.Digest()
	if !ok || string(uid) != string(digest[:]) || s.Now().Sub(lastUse) > time.Duration(s.TimeoutMinutes)*time.Minute {
		return
	}
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendDocumentEnd(bson.AppendRawValueElement(dst, "id", lsid.Lookup("id")), start)
	one := s.get(owner, dst)
	s.mu.Lock()
	defer s.mu.Unlock()
	one.lastUse = lastUse
}
