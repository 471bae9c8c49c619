package main

import "strings"

const officialModule = "go.mongodb.org/mongo-driver/"

// officialPath returns the path of a package inside the official driver's module, without its version.
func officialPath(path string) (string, bool) {
	rest, ok := strings.CutPrefix(path, officialModule)
	if !ok {
		return "", false
	}
	return strings.TrimPrefix(rest, "v2/"), true
}

// officialPackages are the packages whose names this program knows, with the package of Onion that holds most of them.
var officialPackages = map[string]string{
	"mongo":                     "mongo",
	"mongo/options":             "options",
	"mongo/address":             "mongo", // its one type is a string
	"mongo/gridfs":              "mongo",
	"mongo/readpref":            "mongo",
	"mongo/readconcern":         "mongo",
	"mongo/writeconcern":        "mongo",
	"mongo/description":         "description",
	mtestPackage:                "mtest",
	"x/mongo/driver/auth":       "bson", // its constants are strings
	"bson":                      "bson",
	"bson/primitive":            "bson",
	"bson/bsontype":             "bsontype",
	"bson/bsoncodec":            "bson",
	"bson/bsonrw":               "bson",
	"x/bsonx":                   "bson",
	corePackage:                 "bson",
	"x/mongo/driver":            "mongo",
	"x/mongo/driver/connstring": "uri",
	"x/mongo/driver/topology":   "mongo",
	"event":                     "event",
	"tag":                       "options",
}

// mtestPackage is version 1's package for tests. It becomes tools/mtest, but only with -mongotest.
const mtestPackage = "mongo/integration/mtest"

// isOfficialPath reports whether this program knows the names of a package.
func isOfficialPath(path string) bool {
	rest, ok := officialPath(path)
	return ok && officialPackages[rest] != ""
}

func officialShort(rest string) string { return rest[strings.LastIndexByte(rest, '/')+1:] }

// optionsNames are the option types whose names differ by more than the ending.
var optionsNames = map[string]string{
	"Bucket":         "GridFSBucket",
	"CreateView":     "CreateCollection",
	"Delete":         "DeleteOne",
	"GridFSDownload": "GridFSDownload",
	"Replace":        "ReplaceOne",
	"RunCmd":         "RunCommand",
	"SearchIndexes":  "SearchIndex",
	"Update":         "UpdateOne",
	"Upload":         "GridFSUpload",
	"Name":           "GridFSName",
	"Lister":         "",
}

// optionsName turns Find of FindOptions and FindOptionsBuilder into the name of Onion's struct.
func optionsName(name string) string {
	if to, ok := optionsNames[name]; ok {
		return to
	}
	return name
}

// renames are the names that moved: package-level ones with their package, members by their last part alone. A value
// in parentheses is an expression that takes the name's place.
var renames = map[string]string{
	"mongo.Client.Disconnect":         "Close",
	"mongo.Client.AppendDriverInfo":   "AppendMetadata",
	"mongo.DefaultGridFSChunkSize":    "(int32(255 * 1024))",
	"mongo.Database.RunCommandCursor": "RunCursorCommand",
	"mongo.Dialer":                    "options.Dialer",
	"options.ContextDialer":           "options.Dialer",
	"mongo.ErrClientDisconnected":     "mongo.ErrClientClosed",
	"mongo.ErrNilCursor":              "mongo.ErrNilValue",
	"mongo.SingleResult.DecodeBytes":  "Raw",
	"mongo.SessionContext":            "(context.Context)",

	"event.CommandStartedEvent":             "event.CommandStarted",
	"event.CommandSucceededEvent":           "event.CommandSucceeded",
	"event.CommandFailedEvent":              "event.CommandFailed",
	"event.ServerClosedEvent":               "event.ServerClosed",
	"event.ServerDescriptionChangedEvent":   "event.ServerDescriptionChanged",
	"event.CommandFinishedEvent":            "event.CommandSucceeded",
	"event.ServerHeartbeatFailedEvent":      "event.ServerHeartbeatFailed",
	"event.ServerHeartbeatStartedEvent":     "event.ServerHeartbeatStarted",
	"event.ServerHeartbeatSucceededEvent":   "event.ServerHeartbeatSucceeded",
	"event.ServerOpeningEvent":              "event.ServerOpening",
	"event.TopologyClosedEvent":             "event.TopologyClosed",
	"event.TopologyDescriptionChangedEvent": "event.TopologyDescriptionChanged",
	"event.TopologyOpeningEvent":            "event.TopologyOpening",

	"readpref.Primary":                "mongo.Primary",
	"readpref.PrimaryPreferred":       "mongo.PrimaryPreferred",
	"readpref.Secondary":              "mongo.Secondary",
	"readpref.SecondaryPreferred":     "mongo.SecondaryPreferred",
	"readpref.Nearest":                "mongo.Nearest",
	"readpref.WithMaxStaleness":       "mongo.MaxStaleness",
	"readpref.WithTags":               "mongo.Tags",
	"readpref.Option":                 "mongo.ReadPreferenceOption",
	"readpref.ReadPref":               "options.ReadPreference",
	"readpref.Mode":                   "options.ReadPreferenceMode",
	"readpref.PrimaryMode":            "options.Primary",
	"readpref.PrimaryPreferredMode":   "options.PrimaryPreferred",
	"readpref.SecondaryMode":          "options.Secondary",
	"readpref.SecondaryPreferredMode": "options.SecondaryPreferred",
	"readpref.NearestMode":            "options.Nearest",
	"readconcern.Available":           "mongo.ReadAvailable",
	"readconcern.Linearizable":        "mongo.ReadLinearizable",
	"readconcern.Local":               "mongo.ReadLocal",
	"readconcern.Majority":            "mongo.ReadMajority",
	"readconcern.Snapshot":            "mongo.ReadSnapshot",
	"readconcern.ReadConcern":         "options.ReadConcern",
	"writeconcern.Journaled":          "mongo.Journaled",
	"writeconcern.Majority":           "mongo.Majority",
	"writeconcern.WriteConcern":       "options.WriteConcern",
	"writeconcern.Option":             "options.WriteConcern",
	"auth.MongoDBX509":                "(\"MONGODB-X509\")",
	"auth.SCRAMSHA1":                  "(\"SCRAM-SHA-1\")",
	"auth.SCRAMSHA256":                "(\"SCRAM-SHA-256\")",
	"auth.PLAIN":                      "(\"PLAIN\")",
	"auth.GSSAPI":                     "(\"GSSAPI\")",
	"auth.MongoDBAWS":                 "(\"MONGODB-AWS\")",
	"auth.MongoDBOIDC":                "(\"MONGODB-OIDC\")",
	"writeconcern.W1":                 "(mongo.W(1))",
	"writeconcern.Unacknowledged":     "(mongo.W(0))",
	"writeconcern.WCMajority":         "(\"majority\")",

	"options.Default":                    "options.FullDocumentDefault",
	"options.Off":                        "options.FullDocumentOff",
	"options.UpdateLookup":               "options.FullDocumentUpdateLookup",
	"options.WhenAvailable":              "options.FullDocumentWhenAvailable",
	"options.Required":                   "options.FullDocumentRequired",
	"options.FullDocument":               "(string)",
	"options.ServerMonitoringModeAuto":   "options.MonitorAuto",
	"options.ServerMonitoringModePoll":   "options.MonitorPoll",
	"options.ServerMonitoringModeStream": "options.MonitorStream",
	"options.ArrayFilters":               "([]any)",
	"options.ServerAPIVersion":           "(string)",
	"options.ServerAPIOptions":           "options.ServerAPI",
	"options.AutoEncryptionOptions":      "mongo.AutoEncryption",
	"options.LogSink":                    "(interface{ Info(int, string, ...any); Error(error, string, ...any) })",

	"tag.Set":    "options.TagSet",
	"tag.Tag":    "options.Tag",
	"bsonx.Doc":  "bson.D",
	"bsonx.MDoc": "bson.M",
	"bsonx.Elem": "bson.E",
	"bsonx.Arr":  "bson.A",
	"bsonx.Val":  "(any)",
	"bsonx.IDoc": "(any)",

	"address.Address":                       "(string)",
	"driver.Error":                          "mongo.CommandError",
	"driver.QueryFailureError":              "mongo.CommandError",
	"driver.WriteCommandError":              "mongo.WriteException",
	"driver.WriteError":                     "mongo.WriteError",
	"driver.WriteErrors":                    "mongo.WriteErrors",
	"driver.WriteConcernError":              "mongo.WriteConcernError",
	"driver.ErrDeadlineWouldBeExceeded":     "(context.DeadlineExceeded)",
	"driver.NetworkError":                   "(\"NetworkError\")",
	"driver.RetryableWriteError":            "(\"RetryableWriteError\")",
	"driver.NoWritesPerformed":              "(\"NoWritesPerformed\")",
	"driver.TransientTransactionError":      "(\"TransientTransactionError\")",
	"driver.UnknownTransactionCommitResult": "(\"UnknownTransactionCommitResult\")",
	"driver.ErrSystemOverloadedError":       "(\"SystemOverloadedError\")",
	"driver.ErrRetryableError":              "(\"RetryableError\")",

	"topology.ServerSelectionError":         "mongo.ServerSelectionError",
	"topology.ServerSelectionError.Desc":    "Topology",
	"topology.ServerSelectionError.Wrapped": "Err",
	"topology.ConnectionError":              "mongo.NetworkError",
	"topology.ConnectionError.Wrapped":      "Err",
	"topology.WaitQueueTimeoutError":        "mongo.WaitQueueTimeoutError",
	"description.Server.LastError":          "Err",

	"event.ServerDescription":                         "description.Server",
	"event.ServerDescription.Addr":                    "Address",
	"event.ServerDescription.Kind":                    "Type",
	"event.ServerDescription.LastWriteTime":           "LastWriteDate",
	"event.ServerDescription.MaxBatchCount":           "MaxWriteBatchSize",
	"event.ServerDescription.MaxDocumentSize":         "MaxBSONObjectSize",
	"event.ServerDescription.MaxMessageSize":          "MaxMessageSizeBytes",
	"event.ServerDescription.SessionTimeoutMinutes":   "LogicalSessionTimeoutMinutes",
	"event.TopologyDescription":                       "description.Topology",
	"event.TopologyDescription.CompatibilityErr":      "CompatibilityError",
	"event.TopologyDescription.Kind":                  "Type",
	"event.TopologyDescription.SessionTimeoutMinutes": "LogicalSessionTimeoutMinutes",

	"event.CommandStartedEvent.ServerConnectionID64":    "ServerConnectionID",
	"event.ServerHeartbeatFailedEvent.DurationNanos":    "Duration",
	"event.ServerHeartbeatSucceededEvent.DurationNanos": "Duration",

	"description.Server.Addr":                       "Address", // version 1's package description
	"description.Server.AverageRTT":                 "RTT",
	"description.Server.CanonicalAddr":              "Me",
	"description.Server.Kind":                       "Type",
	"description.Server.LastWriteTime":              "LastWriteDate",
	"description.Server.MaxBatchCount":              "MaxWriteBatchSize",
	"description.Server.MaxDocumentSize":            "MaxBSONObjectSize",
	"description.Server.MaxMessageSize":             "MaxMessageSizeBytes",
	"description.Server.SessionTimeoutMinutesPtr":   "LogicalSessionTimeoutMinutes",
	"description.Topology.CompatibilityErr":         "CompatibilityError",
	"description.Topology.Kind":                     "Type",
	"description.Topology.SessionTimeoutMinutesPtr": "LogicalSessionTimeoutMinutes",
	"description.ServerKind":                        "description.ServerType",
	"description.TopologyKind":                      "description.TopologyType",
	"description.Unknown":                           "(0)",

	"mongo.LabeledError":               "(interface{ error; HasErrorLabel(string) bool })",
	"writeconcern.WriteConcern.GetW":   "W",
	"readconcern.ReadConcern.GetLevel": "Level",
	"mongo.IndexView.DropOneWithKey":   "DropWithKey",
	"mongo.Cursor.SetMaxTime":          "SetMaxAwaitTime",
	"bson.MarshalValueAppend":          "bson.AppendValue",

	"connstring.Parse":            "uri.Parse",
	"connstring.ParseAndValidate": "uri.Parse",
	"connstring.ConnString":       "uri.ConnString",

	"gridfs.DefaultChunkSize":          "(int32(255 * 1024))",
	"gridfs.UploadBufferSize":          "(16777216)",
	"options.DefaultChunkSize":         "(int32(255 * 1024))",
	"options.DefaultName":              "(\"fs\")",
	"options.DefaultRevision":          "(int32(-1))",
	"options.DefaultOrdered":           "(true)",
	"options.DefaultCausalConsistency": "(true)",
	"gridfs.ErrWrongIndex":             "mongo.ErrMissingChunk",
	"gridfs.ErrMissingChunkSize":       "mongo.ErrMissingGridFSChunkSize",

	"gridfs.Bucket":          "mongo.GridFSBucket",
	"gridfs.UploadStream":    "mongo.GridFSUploadStream",
	"gridfs.DownloadStream":  "mongo.GridFSDownloadStream",
	"gridfs.File":            "mongo.GridFSFile",
	"gridfs.ErrFileNotFound": "mongo.ErrFileNotFound",

	"gridfs.Bucket.DeleteContext": "Delete",
	"gridfs.Bucket.FindContext":   "Find",
	"gridfs.Bucket.RenameContext": "Rename",
	"gridfs.Bucket.DropContext":   "Drop",

	"bson.Document": "bson.Raw", // the types of bsoncore in a signature
	"bson.Array":    "bson.RawArray",
	"bson.Value":    "bson.RawValue",
	"bson.Element":  "bson.RawElement",

	"bson.DefaultRegistry":        "((*bson.Codecs)(nil))",
	"bson.AppendValueElement":     "bson.AppendRawValueElement",
	"bson.EmptyDocumentLength":    "(5)",
	"bson.RawValue.Data":          "Value",
	"bson.ErrElementNotFound":     "bson.ErrNotFound",
	"bson.RawValue.StringValueOK": "StringOK",
	"bson.Registry":               "bson.Codecs",
	"bson.RegistryBuilder":        "bson.Codecs",
	"bson.Decimal128.GetBytes":    "Bits",

	"bson.Float32Vector":                   "bson.VectorFloat32",
	"bson.Int8Vector":                      "bson.VectorInt8",
	"bson.PackedBitVector":                 "bson.VectorPackedBit",
	"bson.TypeBinaryGeneric":               "bsontype.BinaryGeneric",
	"bson.TypeBinaryFunction":              "bsontype.BinaryFunction",
	"bson.TypeBinaryBinaryOld":             "bsontype.BinaryOld",
	"bson.TypeBinaryUUIDOld":               "bsontype.BinaryUUIDOld",
	"bson.TypeBinaryUUID":                  "bsontype.BinaryUUID",
	"bson.TypeBinaryMD5":                   "bsontype.BinaryMD5",
	"bson.TypeBinaryEncrypted":             "bsontype.BinaryEncrypted",
	"bson.TypeBinaryColumn":                "bsontype.BinaryColumn",
	"bson.TypeBinarySensitive":             "bsontype.BinarySensitive",
	"bson.TypeBinaryVector":                "bsontype.BinaryVector",
	"bson.TypeBinaryUserDefined":           "bsontype.BinaryUserDefined",
	"bsontype.BinaryBinaryOld":             "bsontype.BinaryOld",
	"connstring.ConnString.UnknownOptions": "Unknown",
	"bson.TypeArray":                       "bsontype.Array",
	"bson.TypeBinary":                      "bsontype.Binary",
	"bson.TypeBoolean":                     "bsontype.Boolean",
	"bson.TypeCodeWithScope":               "bsontype.CodeWithScope",
	"bson.TypeDBPointer":                   "bsontype.DBPointer",
	"bson.TypeDateTime":                    "bsontype.DateTime",
	"bson.TypeDecimal128":                  "bsontype.Decimal128",
	"bson.TypeDouble":                      "bsontype.Double",
	"bson.TypeEmbeddedDocument":            "bsontype.EmbeddedDocument",
	"bson.TypeInt32":                       "bsontype.Int32",
	"bson.TypeInt64":                       "bsontype.Int64",
	"bson.TypeJavaScript":                  "bsontype.JavaScript",
	"bson.TypeMaxKey":                      "bsontype.MaxKey",
	"bson.TypeMinKey":                      "bsontype.MinKey",
	"bson.TypeNull":                        "bsontype.Null",
	"bson.TypeObjectID":                    "bsontype.ObjectID",
	"bson.TypeRegex":                       "bsontype.Regex",
	"bson.TypeString":                      "bsontype.String",
	"bson.TypeSymbol":                      "bsontype.Symbol",
	"bson.TypeTimestamp":                   "bsontype.Timestamp",
	"bson.TypeUndefined":                   "bsontype.Undefined",
}

// different are names that exist in Onion but mean something else, or that compile there but behave differently. Each
// use is reported with advice.
var different = map[string]string{
	"mongo.GridFSFile.ID":        "ID is a bson.RawValue here: decode it with Unmarshal",
	"mongo.Session.SnapshotTime": "SnapshotTime returns a pointer here, nil when there is none",
	"bson.Raw.Index":             "Index returns the element and whether it exists",
	"bson.RawArray.Index":        "Index returns the value and whether it exists",
	"uri.ConnString.Hosts": "each host has its port here, even 27017; for mongodb+srv it is the name to look up, " +
		"until uri.Resolve has resolved it",
	"uri.ConnString.String":    "String hides the password here",
	"topology.ConnectionError": "a failed login is a mongo.AuthError here, not a mongo.NetworkError",
}
