package cohort

import (
	"context"
	"fmt"
	"net"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
)

// startPrism starts Beam's embedded engine, once in a process, and returns its endpoint. Whoever reaches an engine can have it start
// programs, and Prism listens on all addresses, so that it is confined to this machine where the system can do that.
var startPrism = sync.OnceValues(func() (endpoint string, err error) {
	defer func() {
		if r := recover(); r != nil { // Prism does so where it cannot listen
			err = fmt.Errorf("the embedded engine cannot be started: %v", r)
		}
	}()
	free, err := net.Listen("tcp", ":0")
	if err != nil {
		return "", err
	}
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	// It lives as long as the process.
	if _, err := prism.CreateJobServer(context.Background(), prism.Options{Port: port}); err != nil {
		return "", err
	}
	confined = bindLoopback(port)
	return fmt.Sprintf("localhost:%d", port), nil
})

// confined is why Prism is not confined to this machine, or nil.
var confined error

// usePrism tells Beam where the embedded engine is.
func usePrism() error {
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
