package bsonimpl

import "github.com/specdrivers/onion/bson/internal/static"

// Info is what the method BSONStatic tells package bson about the other generated methods.
type Info = static.Info
