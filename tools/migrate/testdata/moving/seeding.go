//go:build never && !never

package shop

import "go.mongodb.org/mongo-driver/v2/mongo/options"

var unbuilt = options.Find().SetLimit(limitThatNothingDeclares)
