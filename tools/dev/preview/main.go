// Command preview serves a folder of static files on the loopback interface, with the headers that
// the site needs:
//
//	go run ./tools/dev/preview [-port 8017] [-open] www/dist
//
// It prints the address, uses another port if the given one is busy, and ends with Ctrl-C.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/bagscope/bagscope/tools/service/site"
)

func main() {
	port := flag.Int("port", 8017,
		"port on the loopback interface; another one is used if it is busy")
	browse := flag.Bool("open", false, "open the page in a browser")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "preview: name one folder, such as www/dist")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, flag.Arg(0), *port, *browse); err != nil {
		fmt.Fprintln(os.Stderr, "preview:", err)
		os.Exit(1)
	}
}

// serve serves a folder until ctx ends.
func serve(ctx context.Context, folder string, port int, browse bool) error {
	if _, err := os.Stat(filepath.Join(folder, "index.html")); err != nil {
		return fmt.Errorf("%s does not contain index.html; run make www first", folder)
	}
	listener, err := listen(port)
	if err != nil {
		return err
	}
	address := fmt.Sprintf("http://%s/", listener.Addr())
	fmt.Printf("bagscope is at %s (Ctrl-C ends it)\n", address)
	if browse {
		openBrowser(address)
	}
	server := &http.Server{Handler: site.Handler(os.DirFS(folder)),
		ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	// Open connections have two seconds to finish.
	wait, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := server.Shutdown(wait); err != nil {
		return server.Close()
	}
	return nil
}

// listen opens a port of the loopback interface, or any free one if the port cannot be opened.
func listen(port int) (net.Listener, error) {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil && port != 0 {
		return net.Listen("tcp", "127.0.0.1:0")
	}
	return l, err
}
