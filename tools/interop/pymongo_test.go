package interop

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/specdrivers/onion/runtime/mongotest"
)

// python finds a Python that has pymongo. Debian's is not always the first one on the path.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("PYTHON"), "/usr/bin/python3", "python3"} {
		if name != "" && exec.Command(name, "-c", "import pymongo").Run() == nil {
			return name
		}
	}
	t.Skip("no Python with pymongo: install Debian's python3-pymongo, or name one in PYTHON")
	return ""
}

// pymongo against mongotest, with the script in testdata.
func TestPymongo(t *testing.T) {
	interpreter := python(t)
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			runScript(t, interpreter, mongotest.Start(t, shape.option))
		})
	}
	t.Run("SCRAM", func(t *testing.T) { runScript(t, interpreter, mongotest.Start(t, mongotest.Auth("ada", "s3cret/"))) })
	t.Run("4.2", func(t *testing.T) {
		runScript(t, interpreter, mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Version("4.2")))
	})
}

func runScript(t *testing.T, interpreter string, d *mongotest.Deployment) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, interpreter, "testdata/crud.py", d.URI()).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
