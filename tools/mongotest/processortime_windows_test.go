package mongotest_test

import (
	"syscall"
	"time"
)

// processorTime returns the processor time that the process has used. The resolution of Windows is about 16 ms.
func processorTime() time.Duration {
	process, err := syscall.GetCurrentProcess()
	if err != nil {
		panic(err)
	}
	var created, ended, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(process, &created, &ended, &kernel, &user); err != nil {
		panic(err)
	}
	steps := func(f syscall.Filetime) time.Duration {
		return time.Duration(int64(f.HighDateTime)<<32+int64(f.LowDateTime)) * 100
	}
	return steps(kernel) + steps(user)
}
