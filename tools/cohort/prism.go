package cohort

import (
	"context"
	"fmt"
	"net"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/bagscope/bagscope/internal/msg"
)

// startPrism starts Beam's embedded engine, once per process, and returns its endpoint. A client of
// an engine can make it start programs, and Prism listens on all addresses. Therefore startPrism
// confines it to this machine if the operating system supports that.
var startPrism = sync.OnceValues(func() (endpoint string, err error) {
	defer func() {
		if r := recover(); r != nil { // Prism panics if it cannot listen
			err = msg.Errorf("the embedded engine cannot be started: %v", r)
		}
	}()
	// Prism needs the number of a free port. Another process could get the port in between, which
	// is an error of CreateJobServer.
	free, err := net.Listen("tcp", ":0")
	if err != nil {
		return "", err
	}
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	// It runs until the process ends.
	if _, err := prism.CreateJobServer(context.Background(),
		prism.Options{Port: port}); err != nil {
		return "", err
	}
	confined = bindLoopback(port)
	return fmt.Sprintf("localhost:%d", port), nil
})

// confined is the reason why Prism is not confined to this machine, or nil.
var confined error

// usePrism sets the address of the embedded engine in Beam's options.
func usePrism() error {
	// The user has named a running engine.
	if *jobopts.Endpoint != "" {
		return nil
	}
	endpoint, err := startPrism()
	if err != nil {
		return err
	}
	*jobopts.Endpoint = endpoint
	if *jobopts.EnvironmentType == "" {
		*jobopts.EnvironmentType = "loopback"
	}
	return nil
}
