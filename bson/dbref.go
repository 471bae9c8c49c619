package bson

// DBRef is the convention for a reference to a document of another collection: {$ref, $id, $db, ...}.
type DBRef struct {
	Ref string // the collection
	ID  any    // the _id of the document
	DB  string // the database, empty if it is the one of the referring document
}
