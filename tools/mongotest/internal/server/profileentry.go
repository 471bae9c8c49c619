package server

import (
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// profileDocuments returns the documents of system.profile for a request: one, or one for each statement of an update or a delete
// that ran.
func (r *request) profileDocuments(took time.Duration, body bson.Raw, failed *status.Error) []bson.Raw {
	if len(r.outcomes) == 0 {
		return []bson.Raw{r.entry(redact(r.Body), took, body, failed, r.profiledCounts(body))}
	}
	statements := r.documents(r.Name + "s")
	list := make([]bson.Raw, len(r.outcomes))
	for i, o := range r.outcomes {
		counts := reply.New()
		if r.Name == "delete" {
			counts.Int32("ndeleted", int32(o.Matched))
		} else {
			matched := int32(o.Matched)
			if o.Upserted {
				counts.Int32("nUpserted", 1)
				matched = 0
			}
			counts.Int32("nMatched", matched).Int32("nModified", int32(o.Modified))
		}
		list[i] = r.entry(r.profiledStatement(statements[i]), took, body, status.From(o.Err), counts.Done())
	}
	return list
}

// profiledStatement returns a statement with the defaults of what it omits, and the comment of its command.
func (r *request) profiledStatement(statement bson.Raw) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	for key, v := range statement.All() {
		dst = bson.AppendRawValueElement(dst, key, v)
	}
	if r.Name == "update" {
		for _, name := range []string{"multi", "upsert"} {
			if statement.Lookup(name).IsZero() {
				dst = bson.AppendBooleanElement(dst, name, false)
			}
		}
	}
	if comment := r.Body.Lookup("comment"); !comment.IsZero() {
		dst = bson.AppendRawValueElement(dst, "comment", comment)
	}
	return bson.AppendDocumentEnd(dst, start)
}

// profiledCounts returns the numbers of a command without statements, from its reply.
func (r *request) profiledCounts(body bson.Raw) bson.Raw {
	counts := reply.New()
	batch, ok := body.Lookup("cursor", "firstBatch").ArrayOK()
	if !ok {
		batch, ok = body.Lookup("cursor", "nextBatch").ArrayOK()
	}
	if ok {
		counts.Int32("nreturned", int32(batch.Len()))
	}
	if n, isNumber := body.Lookup("n").AsInt64OK(); isNumber && r.Name == "insert" {
		counts.Int32("ninserted", int32(n))
	}
	return counts.Done()
}

// entry returns a document of system.profile.
func (r *request) entry(command bson.Raw, took time.Duration, body bson.Raw, failed *status.Error, counts bson.Raw) bson.Raw {
	name, _ := r.Value().StringOK()
	if named, ok := r.Body.Lookup("collection").StringOK(); ok {
		name = named
	}
	if name == "" {
		name = "$cmd"
	}
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendObjectIDElement(dst, "_id", bson.NewObjectID())
	dst = bson.AppendStringElement(dst, "op", kindOfOperation(r.Name))
	dst = bson.AppendStringElement(dst, "ns", r.DB+"."+name)
	dst = bson.AppendDocumentElement(dst, "command", command)
	for key, v := range counts.All() {
		dst = bson.AppendRawValueElement(dst, key, v)
	}
	if failed != nil {
		dst = bson.AppendStringElement(dst, "errMsg", failed.Message)
		dst = bson.AppendStringElement(dst, "errName", failed.Code.String())
		dst = bson.AppendInt32Element(dst, "errCode", int32(failed.Code))
	}
	dst = bson.AppendInt32Element(dst, "responseLength", int32(len(body)))
	dst = bson.AppendStringElement(dst, "protocol", "op_msg")
	dst = bson.AppendInt32Element(dst, "millis", int32(took.Milliseconds()))
	dst = bson.AppendDateTimeElement(dst, "ts", r.cluster.Now().UnixMilli())
	dst = bson.AppendStringElement(dst, "client", r.conn.nc.RemoteAddr().String())
	if app := r.conn.application(); app != "" {
		dst = bson.AppendStringElement(dst, "appName", app)
	}
	user := ""
	users := bson.A{}
	for _, p := range r.conn.login.Principals {
		user = p.Name + "@" + p.DB
		users = append(users, bson.Doc("user", p.Name, "db", p.DB))
	}
	tail := reply.New().Value("allUsers", users).String("user", user).Done()
	for key, v := range tail.All() {
		dst = bson.AppendRawValueElement(dst, key, v)
	}
	return bson.AppendDocumentEnd(dst, start)
}
