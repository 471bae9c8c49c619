package expr

import (
	"maps"
	"slices"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// introduced holds the wire version of the first server with each operator. It leaves out the operators that 4.2
// already has.
var introduced = map[string]int32{
	"$isNumber": 9, "$first": 9, "$last": 9, "$replaceOne": 9, "$replaceAll": 9, "$bsonSize": 9, "$binarySize": 9, "$rand": 9,
	"$dateAdd": 13, "$dateSubtract": 13, "$dateDiff": 13, "$dateTrunc": 13, "$getField": 13, "$setField": 13, "$unsetField": 13,
	"$tsSecond": 14, "$tsIncrement": 14,
	"$sortArray": 15, "$firstN": 15, "$lastN": 15, "$minN": 15, "$maxN": 15,
	"$bitAnd": 20, "$bitOr": 20, "$bitXor": 20, "$bitNot": 20, "$toUUID": 25, "$sigmoid": 26, "$subtype": 28,
	"$similarityCosine": 27, "$similarityDotProduct": 27, "$similarityEuclidean": 27, "$median": 21, "$percentile": 21,
}

// absent lists the server's operators that mongotest lacks. They fail like unknown operators, with a note that
// mongotest lacks them.
var absent = map[string]bool{
	"$accumulator": true, "$function": true,

	"$createUUID": true, "$createObjectId": true, "$encStrContains": true,
	"$encStrStartsWith": true, "$encStrEndsWith": true, "$encStrNormalizedEq": true, "$serializeEJSON": true,
	"$deserializeEJSON": true, "$hash": true, "$hexHash": true,
}

func errUnrecognized(name string) error {
	note := ""
	if absent[name] {
		note = " (mongotest does not have it)"
	}
	return status.Errorf(errcode.InvalidPipelineOperator, "Unrecognized expression '%s'%s", name, note)
}

// Absent lists the server's operators that mongotest lacks, including the ones that need JavaScript.
func Absent() []string { return slices.Sorted(maps.Keys(absent)) }
