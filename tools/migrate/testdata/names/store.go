package shop

import "go.mongodb.org/mongo-driver/v2/mongo/options"

func skipping(n int64) *options.FindOptionsBuilder { return options.Find().SetSkip(n) }
