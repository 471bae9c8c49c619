module github.com/specdrivers/onion/tools/bsondiff

go 1.26.0

require (
	github.com/specdrivers/onion v0.0.0
	go.mongodb.org/mongo-driver/v2 v2.9.3
)

replace github.com/specdrivers/onion => ../..
