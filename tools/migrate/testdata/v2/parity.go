package shop

import (
	"errors"
	"fmt"
	"io"
	"math/big"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
)

func accessors(r bson.Raw) (bson.Raw, bson.RawArray) {
	fmt.Println(r.Lookup("b").AsFloat64(), r.Lookup("c").Boolean(), r.Lookup("d").DateTime())
	fmt.Println(r.Lookup("e").Time(), r.Lookup("f").Decimal128(), r.Lookup("h").Double())
	fmt.Println(r.Lookup("i").Int32(), r.Lookup("j").Int64(), r.Lookup("k").JavaScript())
	fmt.Println(r.Lookup("l").ObjectID(), r.Lookup("m").Symbol(), r.Lookup("n").StringValue())
	return r.Lookup("g").Document(), r.Lookup("a").Array()
}

func accessorsInParts(r bson.Raw) (string, bson.Raw) {
	pattern, flags := r.Lookup("a").Regex()
	code, scope := r.Lookup("b").CodeWithScope()
	return pattern + flags + code, scope
}

func pointer(v bson.RawValue) (string, bson.ObjectID) {
	return v.DBPointer()
}

func shown(r bson.Raw) {
	fmt.Println(r.Lookup("a").DebugString(), r.Lookup("b").Array().DebugString())
}

func decimals(v *big.Int) (bson.Decimal128, bool) {
	return bson.ParseDecimal128FromBigInt(v, -2)
}

func tooLate(err error) bool {
	var wce mongo.WriteConcernError
	return errors.As(err, &wce) && wce.IsMaxTimeMSExpiredError()
}

func checked(uri string) error {
	opts := options.Client().ApplyURI(uri)
	return opts.Validate()
}

func modes(mode string) (readpref.Mode, error) {
	return readpref.ModeFromString(mode)
}

func moreCodes(bulk mongo.BulkWriteException, write mongo.WriteException, command mongo.CommandError) bool {
	one := bulk.WriteErrors[0]
	return bulk.HasErrorCode(11000) || bulk.HasErrorCodeWithMessage(11000, "dup") ||
		write.HasErrorCode(11000) || write.HasErrorCodeWithMessage(11000, "dup") ||
		one.HasErrorCode(11000) || one.HasErrorCodeWithMessage(11000, "dup") ||
		one.WriteError.HasErrorCode(11000) || one.WriteError.HasErrorCodeWithMessage(11000, "dup") ||
		command.HasErrorCode(50) || command.HasErrorCodeWithMessage(50, "late")
}

func listsOfCodes(bulk mongo.BulkWriteException, write mongo.WriteException, many mongo.ClientBulkWriteException) {
	for _, code := range bulk.ErrorCodes() {
		fmt.Println(code)
	}
	for _, code := range bulk.WriteErrors[0].ErrorCodes() {
		fmt.Println(code)
	}
	for _, code := range write.ErrorCodes() {
		fmt.Println(code)
	}
	for _, code := range write.WriteErrors[0].ErrorCodes() {
		fmt.Println(code)
	}
	for _, code := range many.ErrorCodes() {
		fmt.Println(code)
	}
}

func serverCodes(err error) {
	var server mongo.ServerError
	var command mongo.CommandError
	if errors.As(err, &server) && errors.As(err, &command) {
		for _, code := range server.ErrorCodes() {
			fmt.Println(code)
		}
		for _, code := range command.ErrorCodes() {
			fmt.Println(code)
		}
	}
}

func encoderSwitches(w io.Writer) *bson.Encoder {
	enc := bson.NewEncoder(bson.NewDocumentWriter(w))
	enc.ErrorOnInlineDuplicates()
	enc.IntMinSize()
	enc.NilByteSliceAsEmpty()
	enc.NilMapAsEmpty()
	enc.NilSliceAsEmpty()
	enc.OmitEmpty()
	enc.OmitZeroStruct()
	enc.StringifyMapKeysWithFmt()
	enc.UseJSONStructTags()
	return enc
}

func decoderSwitches(r io.Reader) *bson.Decoder {
	dec := bson.NewDecoder(bson.NewDocumentReader(r))
	dec.AllowTruncatingDoubles()
	dec.BinaryAsSlice()
	dec.DefaultDocumentM()
	dec.ObjectIDAsHexString()
	dec.UseJSONStructTags()
	dec.UseLocalTimeZone()
	dec.ZeroMaps()
	dec.ZeroStructs()
	return dec
}
