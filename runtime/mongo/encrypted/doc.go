// Package encrypted describes which fields of a document a client encrypts. It writes the JSON schema that client-side
// field level encryption needs in options.AutoEncryption.SchemaMap. For Queryable Encryption it writes the
// encryptedFields that EncryptedFieldsMap and options.CreateCollection need.
//
// A [Schema] is a list of fields. [Of] makes it from the tags of a struct, next to those that name the fields in BSON:
//
//	type Patient struct {
//		Name  string `bson:"name"`
//		SSN   string `bson:"ssn" encrypt:"deterministic,key=patients"`
//		Notes string `bson:"notes" encrypt:"random,key=patients"`
//	}
//
//	type Visit struct {
//		Code string    `bson:"code" encrypt:"equality,contention=4"`
//		Cost int64     `bson:"cost" encrypt:"range,min=0,max=100000,sparsity=1"`
//		Name string    `bson:"name" encrypt:"prefix,strMinQueryLength=2,strMaxQueryLength=10"`
//		Scan []byte    `bson:"scan" encrypt:"unindexed"`
//	}
//
// A tag begins with deterministic, random or unindexed, or with a query type: equality, range, prefix, suffix or
// substring. The last three can be combined, with a semicolon between them. The options of a query type have the names
// that encryptedFields gives them: contention, min, max, sparsity, precision, trimFactor, strMinQueryLength,
// strMaxQueryLength, strMaxLength, caseSensitive and diacriticSensitive. Two more options belong to the field: key
// names its data key, and type names its BSON type if the Go type does not determine it.
//
// The package does no I/O and knows no keys. Package mongo does the encryption.
package encrypted
