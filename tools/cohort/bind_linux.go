package cohort

import (
	"errors"
	"net"
	"os"
	"strconv"
	"syscall"
)

// bindLoopback binds the socket of this process that listens on a TCP port to the loopback device,
// because Prism always listens on all addresses. Existing connections stay open. Linux 5.7 and
// newer allow this without privileges.
func bindLoopback(port int) error {
	device, err := loopbackDevice()
	if err != nil {
		return err
	}
	// Prism does not return its listener, so that it is found among the open files of the process.
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if listening, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET,
			syscall.SO_ACCEPTCONN); err != nil || listening == 0 {
			continue
		}
		address, err := syscall.Getsockname(fd)
		if err != nil || portOf(address) != port {
			continue
		}
		return syscall.BindToDevice(fd, device)
	}
	return errors.New("no socket listens on the port")
}

// portOf returns the TCP port of a socket's address, or 0 for other sockets.
func portOf(address syscall.Sockaddr) int {
	switch a := address.(type) {
	case *syscall.SockaddrInet4:
		return a.Port
	case *syscall.SockaddrInet6:
		return a.Port
	}
	return 0
}

// loopbackDevice returns the name of the loopback device, usually lo.
func loopbackDevice() (string, error) {
	all, err := net.Interfaces()
	if err != nil {
		return "", err
	}
	for _, i := range all {
		if i.Flags&net.FlagLoopback != 0 {
			return i.Name, nil
		}
	}
	return "", errors.New("the machine has no loopback device")
}
