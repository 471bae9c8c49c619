package shop

import (
	"time"

	"go.mongodb.org/mongo-driver/event"
)

var finishedEvent = event.CommandFinishedEvent{DurationNanos: 5, CommandName: "find", RequestID: 10}

func finishedOf(d time.Duration, cause string) (*event.CommandSucceededEvent, *event.CommandFailedEvent) {
	failed := &event.CommandFailedEvent{CommandFinishedEvent: event.CommandFinishedEvent{DurationNanos: int64(d)}, Failure: "first"}
	failed.DurationNanos, failed.Failure = int64(d)+1, cause
	failed.DurationNanos += 2
	return &event.CommandSucceededEvent{CommandFinishedEvent: finishedEvent}, failed
}

// shadowing has a variable with the name of a package that the new text needs.
func shadowing(event *event.CommandFailedEvent) []any {
	return []any{event.CommandFinishedEvent, event.DurationNanos}
}

func serverConnections(id int64) event.CommandStartedEvent {
	return event.CommandStartedEvent{CommandName: "find", ServerConnectionID64: &id}
}
