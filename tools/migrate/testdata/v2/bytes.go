package shop

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// What bson.Marshal returns stays bytes in an interface.

func bytesInCopies(v any, sent chan any) (any, error) {
	data, err := bson.Marshal(v)
	if err != nil {
		return nil, err
	}
	var held any = data
	again := data
	sent <- data
	fmt.Println(held, again, any(data), data[4:], append(data, 0), len(data))
	return data, nil
}

func bytesOfResults(v any, kept map[string]any) (any, error) {
	var err error
	if kept["data"], err = bson.Marshal(v); err != nil {
		return nil, err
	}
	fmt.Println(bson.Marshal(v))
	return bson.Marshal(v)
}

func bytesAsBefore(v any) ([]byte, error) {
	data, err := bson.Marshal(v)
	data = append(data, data...)
	if err != nil {
		return nil, err
	}
	return bson.Marshal(bson.Raw(data))
}

func cutNumbers(v bson.RawValue) int64 {
	if n, ok := v.AsInt64OK(); ok {
		return n
	}
	return v.AsInt64()
}
