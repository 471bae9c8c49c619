package mongo_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// The driver reports an ignored option even without a logger, because it may be the option that asks for TLS.
func TestIgnoredOptionsAreReported(t *testing.T) {
	was, writer, flags := slog.Default(), log.Writer(), log.Flags()
	defer func() {
		slog.SetDefault(was)
		log.SetOutput(writer) // slog.SetDefault replaced them
		log.SetFlags(flags)
	}()
	for _, tt := range []struct {
		option, want string // the warning, empty for an error
	}{
		{"tsl=true", "Unsupported option 'tsl'."},
		{"tls=", `Unsupported value for \"tls\"`},
		{"tls=f", `Deprecated boolean value for \"tls\"`},
		{"ssl=-1", `Deprecated boolean value for \"tls\"`},
		{"retryWrites=maybe", `Unsupported value for \"retryWrites\"`},
		{"tls=True", ""},
		{"tls=maybe", ""},
		{"ssl=on", ""},
	} {
		t.Run(tt.option, func(t *testing.T) {
			var byDefault, own strings.Builder
			slog.SetDefault(slog.New(slog.NewTextHandler(&byDefault, nil)))
			for _, o := range []*options.Client{nil, {Logger: slog.New(slog.NewTextHandler(&own, nil))}} {
				client, err := mongo.Connect(t.Context(), "mongodb://127.0.0.1:1/?serverMonitoringMode=poll&"+tt.option, o)
				if (err == nil) != (tt.want != "") {
					t.Fatalf("Connect: %v", err)
				}
				if err == nil {
					client.Close(context.Background())
				}
			}
			for i, log := range []fmt.Stringer{&byDefault, &own} {
				mark := [...]string{`level=WARN msg="mongo: `, "level=WARN"}[i]
				if got := strings.Count(log.String(), mark); tt.want != "" && got != 1 || !strings.Contains(log.String(), tt.want) {
					t.Errorf("logged %s, want one warning %s", log, tt.want)
				}
			}
		})
	}
}

func TestAPrintedClientShowsNoPassword(t *testing.T) {
	client, err := mongo.Connect(t.Context(), "mongodb://ada:hunter2@127.0.0.1:1/")
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(context.Background())
	for _, verb := range []string{"%v", "%+v", "%#v"} {
		if text := fmt.Sprintf(verb, client); strings.Contains(text, "hunter2") {
			t.Errorf("%s shows the password", verb)
		}
	}
}
