package shop

import (
	options "flag"

	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
)

// waitsForTwo needs a package of Onion whose name another import has.
func waitsForTwo() *writeconcern.WriteConcern {
	options.Parse()
	return &writeconcern.WriteConcern{W: 2}
}
