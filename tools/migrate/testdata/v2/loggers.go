package shop

import (
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// sink takes log messages.
type sink struct{}

func (sink) Info(level int, message string, pairs ...any)  {}
func (sink) Error(err error, message string, pairs ...any) {}

var _ options.LogSink = sink{}

func logsCommands(size uint) *options.ClientOptions {
	lo := options.Logger().SetSink(sink{}).SetComponentLevel(options.LogComponentCommand, options.LogLevelDebug).SetMaxDocumentLength(size)
	return options.Client().ApplyURI("mongodb://localhost").SetLoggerOptions(lo)
}

func logsAll(opts *options.ClientOptions) {
	opts.SetLoggerOptions(&options.LoggerOptions{
		ComponentLevels: map[options.LogComponent]options.LogLevel{options.LogComponentAll: options.LogLevelInfo},
	})
}
