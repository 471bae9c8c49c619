// Package javascript gives a deployment of mongotest an engine for JavaScript, so $where, $function, $accumulator and
// the command mapReduce run instead of being refused:
//
//	d, err := mongotest.New(javascript.Enable(), mongotest.ReplicaSet(3))
//
// It is a separate package because few tests need it and it depends on an interpreter (github.com/dop251/goja, in pure
// Go). Tests and tools import it; neither mongotest itself nor anything in runtime does.
//
// Functions see the usual constructors of the shell (NumberLong, NumberInt, NumberDecimal, ObjectId, ISODate, Timestamp, UUID,
// BinData, MinKey, MaxKey), sleep, print, tojson, Array.sum and Array.avg. Numbers that they return are doubles, as on a
// server, unless they return a value that they were given or one of NumberLong and its like.
package javascript
