package shop

import (
	"errors"

	"go.mongodb.org/mongo-driver/mongo"
	"go.mongodb.org/mongo-driver/x/mongo/driver/topology"
)

func unreachable(err error) bool {
	var sse topology.ServerSelectionError
	return mongo.IsNetworkError(err) || errors.As(err, &sse)
}

func unreachableAsserted(err error) bool {
	_, ok := err.(topology.ServerSelectionError)
	return ok || errors.As(err, &topology.ServerSelectionError{})
}

func connectionFailed(err error) (string, error) {
	switch err := err.(type) {
	case topology.ConnectionError:
		return "connection", err.Wrapped
	case topology.ServerSelectionError:
		if len(err.Desc.Servers) == 1 {
			return "server", err.Desc.Servers[0].LastError
		}
	}
	return "", nil
}

func selectionFake(err error) error { return topology.ServerSelectionError{Wrapped: err} }

func selectionTimeout(err error) bool { return errors.Is(err, topology.ErrServerSelectionTimeout) }

func poolTimeout(err error) bool {
	var e topology.WaitQueueTimeoutError
	return errors.As(err, &e)
}
