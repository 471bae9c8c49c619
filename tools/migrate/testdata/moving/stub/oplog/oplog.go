// Package oplog plays a package of another module that uses the official driver's types.
package oplog

import "go.mongodb.org/mongo-driver/v2/bson"

type Entry struct {
	Object bson.D
	Name   string
}
