package shop

import (
	"context"
	"log"

	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func commandMonitor() *event.CommandMonitor {
	return &event.CommandMonitor{
		Succeeded: func(_ context.Context, e *event.CommandSucceededEvent) {
			log.Println(e.CommandFinishedEvent.RequestID, e.CommandFinishedEvent.CommandName, e.DatabaseName)
		},
		Failed: func(_ context.Context, e *event.CommandFailedEvent) { log.Println(e.RequestID, e.Failure, e.Duration) },
	}
}

func serverMonitor() *event.ServerMonitor {
	return &event.ServerMonitor{
		ServerHeartbeatFailed: func(e *event.ServerHeartbeatFailedEvent) { log.Println(e.Failure, e.Awaited) },
		TopologyOpening:       func(e *event.TopologyOpeningEvent) { log.Println(e.TopologyID) },
		ServerOpening:         func(e *event.ServerOpeningEvent) { log.Println(e.Address) },
	}
}

func monitored() *options.ClientOptions {
	return options.Client().SetMonitor(commandMonitor()).SetServerMonitor(serverMonitor())
}

func poolMonitor() *event.PoolMonitor {
	return &event.PoolMonitor{Event: func(e *event.PoolEvent) { log.Println(e.Type, e.Address) }}
}

func logged() *options.ClientOptions {
	return options.Client().SetLoggerOptions(options.Logger().SetComponentLevel(options.LogComponentCommand, options.LogLevelDebug))
}
