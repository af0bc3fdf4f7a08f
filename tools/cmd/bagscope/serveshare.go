package main

import (
	"io"
	"net"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"rsc.io/qr"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// shareListen is the default address of --share: all those of the machine.
const shareListen = "0.0.0.0:8018"

// checkShare rejects flags of more than a page beside --share, and chooses its address.
func (s *serveCommand) checkShare(c *cobra.Command) error {
	if !s.share {
		return nil
	}
	if s.site == "" {
		return cli.Usagef("--share needs --site FOLDER, the folder of the page")
	}
	for _, name := range []string{"models", "model", "bags", "data", "token-file", "open",
		"tls-cert", "tls-key", "tls-client-ca"} {
		if c.Flags().Changed(name) {
			return cli.Usagef("--share serves a page and nothing else, to everyone; omit it "+
				"or --%s", name)
		}
	}
	if !c.Flags().Changed("listen") {
		s.listen = shareListen
	}
	return nil
}

// addresses returns the addresses of a page for that of a listener on a machine with these IPs.
func addresses(at net.Addr, machine []net.IP) (urls []string, err error) {
	tcp, ok := at.(*net.TCPAddr)
	if !ok {
		return nil, msg.Errorf("%s is not an address of TCP", at)
	}
	ips := []net.IP{tcp.IP}
	if tcp.IP.IsUnspecified() {
		ips = reachable(machine)
	}
	if len(ips) == 0 {
		return nil, msg.Errorf("this machine has no address that others can reach; connect it to " +
			"a network, or name an address with --listen")
	}
	for _, ip := range ips {
		urls = append(urls, "http://"+net.JoinHostPort(ip.String(), strconv.Itoa(tcp.Port))+"/")
	}
	return urls, nil
}

// printAddresses prints the addresses of a page for that of a listener, the first of them with a QR
// code.
func printAddresses(w io.Writer, at net.Addr) error {
	urls, err := addresses(at, interfaceIPs())
	if err != nil {
		return err
	}
	code, err := qrText(urls[0])
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, code+"\nThis page is open to everyone in the network:\n  "+
		strings.Join(urls, "\n  ")+"\nCtrl-C ends it.\n")
	return err
}

// interfaceIPs returns the addresses of the machine's interfaces that are up.
func interfaceIPs() (ips []net.IP) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok {
			ips = append(ips, n.IP)
		}
	}
	return ips
}

// reachable returns the addresses that other machines can use, those of IPv4 first.
func reachable(ips []net.IP) []net.IP {
	var four, six []net.IP
	for _, ip := range ips {
		switch {
		case !ip.IsGlobalUnicast():
		case ip.To4() != nil:
			four = append(four, ip)
		default:
			six = append(six, ip)
		}
	}
	return append(four, six...)
}

// quiet is the width in modules of the white border that readers of QR codes need.
const quiet = 4

// qrText draws a QR code with half blocks: a line of text is two rows of modules. Light modules are
// drawn, as terminals are dark more often than light, and readers take both.
func qrText(text string) (string, error) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return "", err
	}
	light := func(x, y int) int {
		if y >= code.Size+quiet || code.Black(x, y) { // nothing is drawn below the border
			return 0
		}
		return 1
	}
	var b strings.Builder
	for y := -quiet; y < code.Size+quiet; y += 2 {
		for x := -quiet; x < code.Size+quiet; x++ {
			b.WriteString([]string{" ", "▄", "▀", "█"}[2*light(x, y)+light(x, y+1)])
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}
