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

// spans ends what Started began, in one function for both kinds of events.
type spans struct{ open map[int64]string }

func (s *spans) monitor() *event.CommandMonitor {
	return &event.CommandMonitor{
		Succeeded: func(_ context.Context, e *event.CommandSucceededEvent) { s.finish(&e.CommandFinishedEvent, nil) },
		Failed:    func(_ context.Context, e *event.CommandFailedEvent) { s.finish(&e.CommandFinishedEvent, e.Failure) },
	}
}

func (s *spans) finish(e *event.CommandFinishedEvent, err error) {
	delete(s.open, e.RequestID)
	log.Print(e.CommandName, e.Duration, err)
}

func copied(e event.CommandFailedEvent, s *event.CommandSucceededEvent) []event.CommandFinishedEvent {
	return []event.CommandFinishedEvent{e.CommandFinishedEvent, s.CommandFinishedEvent}
}

func made() *event.CommandSucceededEvent {
	return &event.CommandSucceededEvent{CommandFinishedEvent: event.CommandFinishedEvent{RequestID: 1, CommandName: "find"}}
}
