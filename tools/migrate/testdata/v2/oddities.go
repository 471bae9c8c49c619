package shop

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func logsWithoutSink() *options.ClientOptions {
	return options.Client().SetLoggerOptions(
		options.Logger().SetSink(nil).SetMaxDocumentLength(0).SetComponentLevel(options.LogComponentAll, options.LogLevelInfo))
}

func logsTheLastLevel() *options.ClientOptions {
	lo := options.Logger().SetComponentLevel(options.LogComponentCommand, options.LogLevelInfo).
		SetComponentLevel(options.LogComponentTopology, options.LogLevelInfo).
		SetComponentLevel(options.LogComponentCommand, options.LogLevelDebug)
	return options.Client().SetLoggerOptions(lo)
}

func logsAtVariable(level options.LogLevel) *options.ClientOptions {
	return options.Client().SetLoggerOptions(options.Logger().SetComponentLevel(options.LogComponentCommand, level))
}

func argumentsOfAnotherCall(pair func() (any, bool, bool, string, string)) ([]byte, error) {
	return bson.MarshalExtJSONIndent(pair())
}

func comparesVectorTypes(v bson.Vector, wanted byte) bool {
	t := v.Type()
	switch v.Type() {
	case bson.Int8Vector, 0x10:
		return t == bson.Int8Vector
	}
	switch v.Type() {
	case wanted, bson.Float32Vector:
		return true
	}
	names := map[byte]string{bson.Int8Vector: "int8"}
	return v.Type() == wanted || bson.Float32Vector == v.Type() || names[v.Type()] != ""
}

func partsOfPointer(v bson.RawValue) {
	read := v.DBPointer
	fmt.Println(v.DBPointer())
	fmt.Println(read())
}
