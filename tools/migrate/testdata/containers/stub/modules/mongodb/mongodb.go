// Package mongodb has the signatures that the test of tools/migrate needs, and nothing behind them.
package mongodb

import (
	"context"

	"github.com/testcontainers/testcontainers-go"
)

type MongoDBContainer struct {
	*testcontainers.DockerContainer
}

func Run(context.Context, string, ...testcontainers.ContainerCustomizer) (*MongoDBContainer, error) {
	return nil, nil
}

func (*MongoDBContainer) ConnectionString(context.Context) (string, error) { return "", nil }

func WithUsername(string) testcontainers.ContainerCustomizer { return nil }

func WithPassword(string) testcontainers.ContainerCustomizer { return nil }

func WithReplicaSet(string) testcontainers.ContainerCustomizer { return nil }
