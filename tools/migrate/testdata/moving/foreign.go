package shop

import (
	"github.com/stretchr/testify/oplog"
	"go.mongodb.org/mongo-driver/v2/bson"
)

func entryOf(doc bson.D) oplog.Entry { return oplog.Entry{Object: doc, Name: "a"} }

func objectOf(e oplog.Entry) bson.D { return e.Object }
