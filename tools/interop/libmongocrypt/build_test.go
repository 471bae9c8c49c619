//go:build !cse

package libmongocrypt

import (
	"os"
	"os/exec"
	"testing"
)

// TestLibmongocrypt runs the tests that link with libmongocrypt.
func TestLibmongocrypt(t *testing.T) {
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no C compiler: install Debian's gcc")
	}
	if err := exec.Command("pkg-config", "--exists", "libmongocrypt").Run(); err != nil {
		t.Skip("no libmongocrypt: install Debian's libmongocrypt-dev and pkg-config")
	}
	args := []string{"test", "-tags", "cse", "-count", "1"}
	if testing.Verbose() {
		args = append(args, "-v")
	}
	cmd := exec.CommandContext(t.Context(), "go", append(args, ".")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if testing.Verbose() {
		t.Logf("%s", out)
	}
}
