// Package testcontainers has the signatures that the test of tools/migrate needs, and nothing behind them.
package testcontainers

import (
	"context"
	"testing"
)

type Container interface {
	Terminate(ctx context.Context) error
}

type ContainerCustomizer interface{ Customize() error }

func WithWaitStrategy(...any) ContainerCustomizer { return nil }

func WithLogger(any) ContainerCustomizer { return nil }

func TerminateContainer(Container) error { return nil }

func CleanupContainer(testing.TB, Container) {}

type DockerContainer struct{}

func (*DockerContainer) Terminate(context.Context) error { return nil }

func (*DockerContainer) Host(context.Context) (string, error) { return "", nil }
