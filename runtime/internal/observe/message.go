package observe

import (
	"log/slog"

	"github.com/specdrivers/onion/generated/core/logmsg"
)

// Message is a log message: any of the structs of package logmsg, by pointer.
type Message interface {
	// Component is the part of the driver that logs the message.
	Component() logmsg.Component
	// Level is the severity of the message.
	Level() logmsg.Level
	// Message is the key message of the structured form.
	Message() string
	// AppendAttrs appends the other keys of the structured form.
	AppendAttrs(dst []slog.Attr) []slog.Attr
	// Text is the unstructured form.
	Text() string
}
