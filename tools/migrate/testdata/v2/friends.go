package shop

import (
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// refused has what the official driver takes.
func refused() (*mongo.Client, error) {
	return mongo.Connect(options.Client().ApplyURI("mongodb://<user>:<password>@localhost").SetConnectTimeout(30))
}
