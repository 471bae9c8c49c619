package mtest

import "github.com/specdrivers/onion/runtime/mongo"

// Concerns and preferences that tests name often.
var (
	MajorityWc  = mongo.Majority()
	PrimaryRp   = mongo.Primary()
	SecondaryRp = mongo.Secondary()
	LocalRc     = mongo.ReadLocal()
	MajorityRc  = mongo.ReadMajority()
)
