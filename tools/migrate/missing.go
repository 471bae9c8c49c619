package main

// missing says what to do about names that have no counterpart.
var missing = map[string]string{
	"mongo.ListDatabasesResult":             "ListDatabases returns []mongo.DatabaseSpecification",
	"mongo.SingleResult.Acknowledged":       "an unacknowledged findAndModify has no document: Err returns mongo.ErrNoDocuments",
	"options.ClientOptions.SetBSONOptions":  "set the fields Marshal and Unmarshal of options.Client",
	"options.ClientOptions.SetPoolMonitor":  "event.PoolMonitor has one function for each event here",
	"options.MergeClientOptions":            "pass all options structs to mongo.Connect: it merges them in order",
	"event.PoolMonitor.Event":               "event.PoolMonitor has one function for each event here",
	"bson.RawValue.IsNumber":                "use AsFloat64OK or AsInt64OK, which say whether the value is a number",
	"bson.Raw.IndexErr":                     "Index returns the element and whether it exists",
	"event.CommandFinishedEvent":            "its fields stand in CommandSucceeded and CommandFailed themselves here",
	"bson.NewExtJSONValueReader":            "use bson.UnmarshalExtJSON",
	"bson.NewExtJSONValueWriter":            "use bson.MarshalExtJSON",
	"bson.MarshalExtJSONIndent":             "use bson.MarshalExtJSON and bson.IndentExtJSON",
	"bson.ReadDocument":                     "decode into a bson.Raw: bson.NewDecoder(r).Decode(&raw)",
	"bson.D.Map":                            "range over it, or decode into a bson.M",
	"primitive.D.Map":                       "range over it, or decode into a bson.M",
	"primitive.IsValidObjectID":             "look at the error of bson.ObjectIDFromHex",
	"options.ListIndexesOptions.SetMaxTime": "set Timeout, or give the context a deadline",
	"gridfs.UploadStream.SetWriteDeadline":  "give the context of OpenUploadStream a deadline",
	"gridfs.DownloadStream.SetReadDeadline": "give the context of OpenDownloadStream a deadline",
	"bson.RawElement.KeyErr":                "Key is a field here and cannot fail",
	"bson.RawElement.ValueErr":              "Value is a field here and cannot fail",
}
