package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
)

// TestShare: a shared page is there without a token, and nothing else is.
func TestShare(t *testing.T) {
	folder := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(folder, "index.html"), []byte("<p>a bag"), 0o600))
	url := serving(t, "--share", "--site", folder)
	r := must.Get(http.Get(url + "/"))(t)
	defer r.Body.Close()
	must.Equal(t, string(must.Get(io.ReadAll(r.Body))(t)), "<p>a bag", r.Status)
	for _, path := range []string{"/v1/methods", "/v1/explain", "/v2", "/metrics", "/healthz"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			request := must.Get(http.NewRequestWithContext(t.Context(), method, url+path, nil))(t)
			r := must.Get(http.DefaultClient.Do(request))(t)
			r.Body.Close()
			if r.StatusCode != http.StatusNotFound && r.StatusCode != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: %s", method, path, r.Status)
			}
		}
	}
}

func TestReachable(t *testing.T) {
	var ips []net.IP
	for _, text := range []string{"127.0.0.1", "::1", "fe80::1", "2001:db8::7", "169.254.3.4",
		"192.168.1.20", "10.0.0.5"} {
		ips = append(ips, net.ParseIP(text))
	}
	var got []string
	for _, ip := range reachable(ips) {
		got = append(got, ip.String())
	}
	must.EqualSlices(t, got, []string{"192.168.1.20", "10.0.0.5", "2001:db8::7"})
}

func TestAddresses(t *testing.T) {
	var out strings.Builder
	err := printAddresses(&out, &net.TCPAddr{IP: net.ParseIP("2001:db8::7"), Port: 8018})
	must.Do(t, err)
	must.Contain(t, out.String(), "\n  http://[2001:db8::7]:8018/\n")
	must.Fail(t, printAddresses(&out, &net.UnixAddr{Name: "x"}))
	// A machine without a network, where its user follows the advice.
	book, all := advice.Of(t), &net.TCPAddr{IP: net.IPv4zero, Port: 80}
	_, err = addresses(all, []net.IP{net.IPv6loopback, net.ParseIP("127.0.0.1")})
	must.Fail(t, err)
	book.Read(t, err.Error(), "")
	for _, at := range []*net.TCPAddr{all, {IP: net.ParseIP("192.168.1.20"), Port: 80}} {
		urls := must.Get(addresses(at, []net.IP{net.ParseIP("192.168.1.20")}))(t)
		must.EqualSlices(t, urls, []string{"http://192.168.1.20:80/"})
	}
}

// TestQRText reads the modules back from the text: the three finder patterns, the white border and
// the timing pattern stand where the standard has them (ISO/IEC 18004, 6.3).
func TestQRText(t *testing.T) {
	text := must.Get(qrText("http://192.168.1.20:8018/"))(t)
	var rows [][]bool // true for dark
	for line := range strings.Lines(text) {
		var upper, lower []bool
		for _, r := range strings.TrimSuffix(line, "\n") {
			i := slices.Index([]rune(" ▄▀█"), r)
			if i < 0 {
				t.Fatalf("%q in the text", r)
			}
			upper, lower = append(upper, i < 2), append(lower, i%2 == 0)
		}
		rows = append(rows, upper, lower)
	}
	side := len(rows[0]) - 2*quiet
	if side != 25 { // version 2 holds 32 bytes at level L
		t.Fatalf("%d modules a side", side)
	}
	dark := func(x, y int) bool { return rows[y+quiet][x+quiet] }
	for y := -1; y < 8; y++ {
		for x := -1; x < 8; x++ {
			ring := max(x-3, 3-x, y-3, 3-y)
			want := ring == 3 || ring < 2
			for _, at := range [][2]int{{x, y}, {side - 1 - x, y}, {x, side - 1 - y}} {
				if dark(at[0], at[1]) != want {
					t.Fatalf("module %v is %v", at, !want)
				}
			}
		}
	}
	for i := 8; i < side-8; i++ {
		must.Equal(t, dark(i, 6), i%2 == 0, i)
		must.Equal(t, dark(6, i), i%2 == 0, i)
	}
}
