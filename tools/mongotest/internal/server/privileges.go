package server

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/login"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// needNothing is for commands that every user may run.
func needNothing(*request) []login.Need { return nil }

// onCluster are actions on the deployment itself.
func onCluster(actions ...string) needs {
	return func(*request) []login.Need { return needsOf(login.Resource{Cluster: true}, actions...) }
}

// onDatabase are actions on the command's database.
func onDatabase(actions ...string) needs {
	return func(r *request) []login.Need { return needsOf(login.Resource{DB: r.DB}, actions...) }
}

// onCollection are actions on the command's collection, or on its database when it names no collection.
func onCollection(actions ...string) needs {
	return func(r *request) []login.Need { return needsOf(r.resource(), actions...) }
}

// onConfig are actions on the settings of a sharded cluster.
func onConfig(actions ...string) needs {
	return func(*request) []login.Need {
		return needsOf(login.Resource{DB: "config", Collection: "settings"}, actions...)
	}
}

// onNamespace are actions on a collection that the command names in full.
func onNamespace(actions ...string) needs {
	return func(r *request) []login.Need { return needsOf(namespaceOf(r.Text(r.Name)), actions...) }
}

func needsOf(on login.Resource, actions ...string) []login.Need {
	list := make([]login.Need, len(actions))
	for i, action := range actions {
		list[i] = login.Need{Resource: on, Action: action}
	}
	return list
}

func (r *request) resource() login.Resource {
	name, _ := r.Value().StringOK()
	return login.Resource{DB: r.DB, Collection: name}
}

func namespaceOf(text string) login.Resource {
	db, name, _ := strings.Cut(text, ".")
	return login.Resource{DB: db, Collection: name}
}

// checkAuthorized refuses a command that the roles of the connection's users do not allow.
func (r *request) checkAuthorized() error {
	if !r.cluster.RequireAuth || r.command.beforeAuth || r.cluster.Users.Allows(&r.conn.login, r.command.needs(r)...) {
		return nil
	}
	return r.unauthorized()
}

func (r *request) unauthorized() error {
	return status.Errorf(errcode.Unauthorized, "not authorized on %s to execute command %s", r.DB, status.Text(redact(r.Body)))
}

// redact hides passwords in a command, as servers do in their messages.
func redact(body bson.Raw) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	for key, v := range body.All() {
		if key == "pwd" {
			dst = bson.AppendStringElement(dst, key, "xxx")
		} else {
			dst = bson.AppendRawValueElement(dst, key, v)
		}
	}
	return bson.AppendDocumentEnd(dst, start)
}

// documents returns the documents of an array or of a document sequence.
func (r *request) documents(field string) []bson.Raw {
	if docs, ok := r.Sequences[field]; ok {
		return docs
	}
	return call.Documents(r.Field(field))
}

// addBypassNeed adds the need of a write that bypasses validation.
func (r *request) addBypassNeed(on login.Resource, list []login.Need) []login.Need {
	if r.Flag("bypassDocumentValidation") {
		list = append(list, login.Need{Resource: on, Action: "bypassDocumentValidation"})
	}
	return list
}

func insertNeeds(r *request) []login.Need {
	return r.addBypassNeed(r.resource(), needsOf(r.resource(), "insert"))
}

func updateNeeds(r *request) []login.Need {
	list := needsOf(r.resource(), "update")
	for _, u := range r.documents("updates") {
		if upsert, _ := u.Lookup("upsert").AsBoolOK(); upsert {
			list = append(list, needsOf(r.resource(), "insert")...)
			break
		}
	}
	return r.addBypassNeed(r.resource(), list)
}

func findAndModifyNeeds(r *request) []login.Need {
	list := needsOf(r.resource(), "find")
	switch {
	case r.Flag("remove"):
		return append(list, needsOf(r.resource(), "remove")...)
	case r.Flag("upsert"):
		list = append(list, needsOf(r.resource(), "insert")...)
	}
	return r.addBypassNeed(r.resource(), append(list, needsOf(r.resource(), "update")...))
}

func bulkWriteNeeds(r *request) []login.Need {
	var list []login.Need
	namespaces := r.documents("nsInfo")
	for _, op := range r.documents("ops") {
		for kind, action := range map[string]string{"insert": "insert", "update": "update", "delete": "remove"} {
			i, ok := op.Lookup(kind).AsInt64OK()
			if !ok || i < 0 || i >= int64(len(namespaces)) {
				continue
			}
			name, _ := namespaces[i].Lookup("ns").StringOK()
			list = append(list, needsOf(namespaceOf(name), action)...)
			if upsert, _ := op.Lookup("upsert").AsBoolOK(); upsert {
				list = append(list, needsOf(namespaceOf(name), "insert")...)
			}
			list = r.addBypassNeed(namespaceOf(name), list)
		}
	}
	return list
}

// createNeeds allow a create by its own action or, for a collection that is neither capped nor a view, by insert.
func createNeeds(r *request) []login.Need {
	source := r.Text("viewOn")
	if source != "" {
		own := login.Resource{DB: r.DB, Collection: source}
		return append(needsOf(r.resource(), "createCollection"), append(needsOf(own, "find"),
			pipelineNeeds(r, own, call.Documents(r.Field("pipeline")))...)...)
	}
	if !r.Flag("capped") && r.cluster.Users.Allows(&r.conn.login, needsOf(r.resource(), "insert")...) {
		return nil
	}
	return needsOf(r.resource(), "createCollection")
}

func renameNeeds(r *request) []login.Need {
	from, to := namespaceOf(r.Text(r.Name)), namespaceOf(r.Text("to"))
	same := needsOf(login.Resource{DB: from.DB}, "renameCollectionSameDB")
	if from.DB == to.DB && !r.Flag("dropTarget") && r.cluster.Users.Allows(&r.conn.login, same...) {
		return nil
	}
	list := append(needsOf(from, "find", "dropCollection"), needsOf(to, "insert", "createIndex")...)
	if r.Flag("dropTarget") {
		list = append(list, needsOf(to, "dropCollection")...)
	}
	return list
}

// explainNeeds returns the needs of the explained command.
func explainNeeds(r *request) []login.Need {
	inner, ok := r.Value().DocumentOK()
	if !ok {
		return nil
	}
	explained := *r
	explained.Call = r.Inner(inner, r.DB)
	explained.command = r.cluster.commands[explained.Name]
	if explained.command == nil || explained.command.beforeAuth {
		return nil
	}
	return explained.command.needs(&explained)
}

func cloneNeeds(r *request) []login.Need {
	to := login.Resource{DB: r.DB, Collection: r.Text("toCollection")}
	return append(needsOf(r.resource(), "find"), needsOf(to, "convertToCapped", "createCollection", "insert")...)
}

func listCollectionsNeeds(r *request) []login.Need {
	if r.onlyAuthorizedNames() && r.cluster.Users.Reaches(&r.conn.login, r.DB, "") {
		return nil
	}
	return needsOf(login.Resource{DB: r.DB}, "listCollections")
}

func (r *request) onlyAuthorizedNames() bool {
	return r.Flag("nameOnly") && r.Flag("authorizedCollections")
}

func currentOpNeeds(r *request) []login.Need {
	if r.Flag("$ownOps") {
		return nil
	}
	return onCluster("inprog")(r)
}

// onlyAuthorized removes databases and collections from a list if the user may do nothing with them.
func (r *request) onlyAuthorized(body bson.Raw) (bson.Raw, error) {
	users, state := r.cluster.Users, &r.conn.login
	switch r.Name {
	case "listDatabases":
		authorized, named := r.Field("authorizedDatabases").AsBoolOK()
		all := users.Allows(state, onCluster("listDatabases")(r)...)
		switch {
		case all && !authorized:
			return body, nil
		case named && !authorized:
			return nil, r.unauthorized()
		}
		return filterList(body, []string{"databases"}, func(name string) bool { return users.Reaches(state, name, "") }), nil
	case "listCollections":
		if r.onlyAuthorizedNames() && !users.Allows(state, onDatabase("listCollections")(r)...) {
			return filterList(body, []string{"cursor", "firstBatch"}, func(name string) bool {
				return users.Reaches(state, r.DB, name)
			}), nil
		}
	}
	return body, nil
}

// filterList filters an array in a reply by element name. path leads to the array.
func filterList(body bson.Raw, path []string, want func(name string) bool) bson.Raw {
	f := reply.New()
	for key, v := range body.All() {
		switch {
		case key != path[0]:
			f.Value(key, v)
		case len(path) > 1:
			f.Doc(key, filterList(v.Value, path[1:], want))
		default:
			kept := bson.A{}
			for _, doc := range call.Documents(v) {
				if name, _ := doc.Lookup("name").StringOK(); want(name) {
					kept = append(kept, doc)
				}
			}
			f.Value(key, kept)
		}
	}
	return f.Done()
}
