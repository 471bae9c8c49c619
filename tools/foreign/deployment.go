package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// buildServer builds mongotestd into folder and returns its path.
func buildServer(ctx context.Context, root, folder string) (string, error) {
	program := filepath.Join(folder, "mongotestd")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./tools/mongotestd")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building mongotestd: %w\n%s", err, out)
	}
	return program, nil
}

// deployment is a running mongotestd.
type deployment struct {
	uri     string
	command *exec.Cmd
}

// start runs mongotestd and reads its connection string. stop must be called.
func start(ctx context.Context, program string, s server) (*deployment, error) {
	args := append([]string{"-topology", s.Topology, "-version", s.Version}, s.Args...)
	if s.Nodes > 0 {
		args = append(args, "-nodes", strconv.Itoa(s.Nodes))
	}
	command := exec.CommandContext(ctx, program, args...)
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	d := &deployment{command: command}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		d.stop()
		return nil, fmt.Errorf("mongotestd %s printed no connection string: %w", strings.Join(args, " "), err)
	}
	d.uri = strings.TrimSpace(line)
	return d, nil
}

// stop ends the process. It says how much memory the process held at most, in megabytes; 0 is unknown.
func (d *deployment) stop() int64 {
	if err := d.command.Process.Signal(os.Interrupt); err != nil {
		_ = d.command.Process.Kill() // the process has ended, or the system has no interrupts
	}
	_ = d.command.Wait() // its exit code says nothing about the suite
	if usage, ok := d.command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss >> 10
	}
	return 0
}
