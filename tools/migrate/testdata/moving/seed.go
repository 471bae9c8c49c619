//go:build ignore

package main

import "go.mongodb.org/mongo-driver/v2/mongo/options"

func main() { _ = options.Find().SetSkip(1) }
