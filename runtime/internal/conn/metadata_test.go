package conn

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/core/authtable"
)

func environment(env map[string]string) Environment {
	return DetectEnvironment(func(name string) string { return env[name] }, func(string) bool { return false })
}

func TestMetadataNamesTheEnvironment(t *testing.T) {
	cases := []struct {
		name string
		env  map[string]string
		want map[string]any // the fields of env; nil means that there is no env document
	}{
		{"lambda", map[string]string{"AWS_EXECUTION_ENV": "AWS_Lambda_java8", "AWS_REGION": "us-east-2", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024"},
			map[string]any{"name": "aws.lambda", "region": "us-east-2", "memory_mb": int32(1024)}},
		{"azure", map[string]string{"FUNCTIONS_WORKER_RUNTIME": "node"}, map[string]any{"name": "azure.func"}},
		{"gcp", map[string]string{"K_SERVICE": "servicename", "FUNCTION_MEMORY_MB": "1024", "FUNCTION_TIMEOUT_SEC": "60", "FUNCTION_REGION": "us-central1"},
			map[string]any{"name": "gcp.func", "memory_mb": int32(1024), "timeout_sec": int32(60), "region": "us-central1"}},
		{"vercel", map[string]string{"VERCEL": "1", "VERCEL_REGION": "cdg1"}, map[string]any{"name": "vercel", "region": "cdg1"}},
		{"two of them", map[string]string{"AWS_EXECUTION_ENV": "AWS_Lambda_java8", "FUNCTIONS_WORKER_RUNTIME": "node"}, nil},
		{"memory is no number", map[string]string{"AWS_EXECUTION_ENV": "AWS_Lambda_java8", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "big"},
			map[string]any{"name": "aws.lambda"}},
		{"not lambda", map[string]string{"AWS_EXECUTION_ENV": "EC2"}, nil},
		{"kubernetes", map[string]string{"KUBERNETES_SERVICE_HOST": "1"}, map[string]any{"container": nil}},
		{"nothing", nil, nil},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			m, err := NewMetadata("app", environment(tc.env))
			if err != nil {
				t.Fatal(err)
			}
			doc, ok := m.Document().Lookup("env").DocumentOK()
			if ok != (tc.want != nil) {
				t.Fatalf("env = %v, present %v", doc, ok)
			}
			n := 0
			for key, value := range doc.All() {
				n++
				want, expected := tc.want[key]
				if !expected {
					t.Errorf("unexpected field %s", key)
				}
				var got any
				if s, ok := value.StringOK(); ok {
					got = s
				} else if i, ok := value.Int32OK(); ok {
					got = i
				}
				if got != want {
					t.Errorf("%s = %v, want %v", key, got, want)
				}
			}
			if n != len(tc.want) {
				t.Errorf("%d fields, want %d", n, len(tc.want))
			}
		})
	}
}

func TestMetadataIsCutToSize(t *testing.T) {
	env := environment(map[string]string{"AWS_EXECUTION_ENV": "AWS_Lambda_java8", "AWS_REGION": strings.Repeat("a", 512)})
	m, err := NewMetadata(strings.Repeat("n", authtable.MaxAppNameSize), env)
	if err != nil {
		t.Fatal(err)
	}
	doc := m.Document()
	if len(doc) > authtable.MaxMetadataSize {
		t.Fatalf("%d bytes", len(doc))
	}
	if name, _ := doc.Lookup("env", "name").StringOK(); name != "aws.lambda" || !doc.Lookup("env", "region").IsZero() {
		t.Errorf("env = %v, want its name alone", doc.Lookup("env"))
	}
	for _, long := range []DriverInfo{
		{Name: strings.Repeat("x", 600)}, {Name: "x", Version: strings.Repeat("v", 600)}, {Name: "x", Platform: strings.Repeat("p", 600)},
	} {
		m, err := NewMetadata("app", environment(nil), long)
		if err != nil {
			t.Fatal(err)
		}
		if doc := m.Document(); len(doc) > authtable.MaxMetadataSize || doc.Validate() != nil {
			t.Errorf("%d bytes", len(doc))
		}
	}
}

// The limit is exact, even for a document that exceeds it by one byte.
func TestMetadataOfEverySize(t *testing.T) {
	for n := range 600 {
		for _, info := range []DriverInfo{{Name: strings.Repeat("n", n+1)}, {Name: "x", Platform: strings.Repeat("p", n)}} {
			m, err := NewMetadata("", environment(map[string]string{"AWS_EXECUTION_ENV": "AWS_Lambda_go"}), info)
			if err != nil {
				t.Fatal(err)
			}
			if size := len(m.Document()); size > authtable.MaxMetadataSize {
				t.Fatalf("%d bytes more make a document of %d", n, size)
			}
		}
	}
}

func TestMetadataAppendsEachLibraryOnce(t *testing.T) {
	m, err := NewMetadata("", environment(nil), DriverInfo{Name: "library", Version: "1.2", Platform: "Library Platform"})
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range []DriverInfo{
		{Name: "library", Version: "1.2", Platform: "Library Platform"}, {Name: "framework"}, {Name: "framework"},
	} {
		if err := m.Append(info); err != nil {
			t.Fatal(err)
		}
	}
	name, _ := m.Document().Lookup("driver", "name").StringOK()
	if want := DriverName + "|library|framework"; name != want {
		t.Errorf("driver.name = %q, want %q", name, want)
	}
	before := m.Document()
	for _, info := range []DriverInfo{{Name: "a|b"}, {Name: "a", Version: "1|2"}, {Name: "a", Platform: "p|q"}, {Name: "|"}} {
		if err := m.Append(info); err == nil || !bytes.Equal(m.Document(), before) {
			t.Errorf("%+v was accepted, although it has the separator", info)
		}
	}
}

// Handshake, "Supporting Wrapping Libraries", and the fields of each part.
func TestMetadataWithEveryField(t *testing.T) {
	m, err := NewMetadata("app", Environment{
		Driver: DriverInfo{Name: "d", Version: "1", Platform: "go"}, OSType: "linux", OSName: "L", OSArchitecture: "x", OSVersion: "6",
		FaaS: "aws.lambda", Region: "r", MemoryMB: new(int32(2)), TimeoutSec: new(int32(3)), Runtime: "docker", Orchestrator: "kubernetes",
	}, DriverInfo{Name: "odm", Version: "2"}, DriverInfo{Name: "web", Platform: "p"})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"application":{"name":"app"},"driver":{"name":"d|odm|web","version":"1|2"},` +
		`"os":{"type":"linux","name":"L","architecture":"x","version":"6"},"platform":"go|p",` +
		`"env":{"name":"aws.lambda","timeout_sec":3,"memory_mb":2,"region":"r","container":{"runtime":"docker","orchestrator":"kubernetes"}}}`
	if got := m.Document().String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if m, err := NewMetadata(strings.Repeat("n", authtable.MaxAppNameSize+1), Environment{}); err == nil || m != nil {
		t.Errorf("an appName that is too long: %v, %v", m, err)
	}
	for _, info := range []DriverInfo{{}, {Version: "1"}, {Name: "a", Version: "1|2"}, {Name: "a", Platform: "p|q"}} {
		if _, err := NewMetadata("", Environment{}, info); err == nil {
			t.Errorf("%+v is accepted", info)
		}
	}
}

func TestStepsOfLeavingOutAreTheTables(t *testing.T) {
	steps := [...]string{
		cutEnvFields - 1: "env except name",
		cutOSFields - 1:  "os except type",
		cutEnv - 1:       "env",
		cutEnv:           "platform",
	}
	if got := authtable.MetadataSteps(); !slices.Equal(got, steps[:]) {
		t.Errorf("the table has %q, the code %q", got, steps)
	}
}

// Handshake, "Container", "client.os.type", "client.application.name": the metadata has what was detected and invents
// nothing.
func TestMetadataOfThePlace(t *testing.T) {
	for _, tt := range []struct {
		name                         string
		kubernetes, docker           bool
		wantRuntime, wantOrchestrate string
	}{
		{"neither", false, false, "", ""}, {"docker", false, true, "docker", ""}, {"kubernetes", true, false, "", "kubernetes"},
		{"both", true, true, "docker", "kubernetes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := DetectEnvironment(func(name string) string {
				if tt.kubernetes && name == "KUBERNETES_SERVICE_HOST" {
					return "10.0.0.1"
				}
				return ""
			}, func(path string) bool { return tt.docker && path == "/.dockerenv" })
			m, err := NewMetadata("", env)
			if err != nil {
				t.Fatal(err)
			}
			container := func(field string) string {
				text, _ := m.Document().Lookup("env", "container", field).StringOK()
				return text
			}
			if got := container("runtime"); got != tt.wantRuntime {
				t.Errorf("the runtime is %q", got)
			}
			if got := container("orchestrator"); got != tt.wantOrchestrate {
				t.Errorf("the orchestrator is %q", got)
			}
			if !m.Document().Lookup("application").IsZero() {
				t.Errorf("an application without a name is %v", m.Document())
			}
			if os, _ := m.Document().Lookup("os", "type").StringOK(); os == "" {
				t.Errorf("there is no type of system in %v", m.Document())
			}
		})
	}
	for system, want := range map[string]string{"": "unknown", "linux": "Linux", "windows": "Windows"} {
		if got := osType(system); got != want {
			t.Errorf("%q is %q", system, got)
		}
	}
}

// truncate cuts a text between characters, and returns "" if the first one does not fit.
func TestTextsAreCutBetweenCharacters(t *testing.T) {
	for n, want := range []string{"", "", "é", "éa", "éa", "éa", "éa日"} {
		if got := truncate("éa日", n); got != want {
			t.Errorf("%d bytes: %q, want %q", n, got, want)
		}
	}
}
