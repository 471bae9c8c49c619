package shop

import "go.mongodb.org/mongo-driver/v2/mongo/options"

func systemName() *options.ClientOptions { return options.Client().SetAppName("windows") }
