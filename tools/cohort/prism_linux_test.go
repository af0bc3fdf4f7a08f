package cohort

import (
	"net"
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/bagscope/bagscope/internal/must"
)

// TestPrismIsConfined: the engine in this process can be reached through the loopback device alone,
// and nothing else here is bound.
func TestPrismIsConfined(t *testing.T) {
	other := must.Get(net.Listen("tcp", ":0"))(t)
	defer other.Close()
	endpoint := must.Get(startPrism())(t)
	if confined != nil {
		t.Skipf("this kernel does not let it: %v", confined)
	}
	c := must.Get(net.Dial("tcp", endpoint))(t)
	c.Close()
	_, text, err := net.SplitHostPort(endpoint)
	must.Do(t, err)
	device := must.Get(loopbackDevice())(t)
	bound := map[int]string{}
	entries := must.Get(os.ReadDir("/proc/self/fd"))(t)
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if listening, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET,
			unix.SO_ACCEPTCONN); err != nil || listening == 0 {
			continue
		}
		name := must.Get(unix.GetsockoptString(fd, unix.SOL_SOCKET, unix.SO_BINDTODEVICE))(t)
		switch a, err := unix.Getsockname(fd); a := a.(type) {
		case *unix.SockaddrInet4:
			bound[a.Port] = name
		case *unix.SockaddrInet6:
			bound[a.Port] = name
		default:
			t.Fatal(err)
		}
	}
	port, err := strconv.Atoi(text)
	must.Do(t, err, endpoint, bound[port])
	must.Equal(t, bound[port], device, endpoint)
	if name, found := bound[other.Addr().(*net.TCPAddr).Port]; !found || name != "" {
		t.Errorf("a socket that is none of the engine's is bound to %q", name)
	}
}
