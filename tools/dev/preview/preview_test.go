package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const page = "<!doctype html><title>x</title>"

// TestListenBusy asks for a port that is taken and must get another.
func TestListenBusy(t *testing.T) {
	first, err := listen(0)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	busy := first.Addr().(*net.TCPAddr).Port
	second, err := listen(busy)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if got := second.Addr().(*net.TCPAddr); got.Port == busy || !got.IP.IsLoopback() {
		t.Errorf("listens on %v beside a busy %d", got, busy)
	}
}

func TestServeEndsWithContext(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "index.html"), []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, folder, 0, false) }()
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("it goes on")
	}
	if err := serve(t.Context(), t.TempDir(), 0, false); err == nil ||
		!strings.Contains(err.Error(), "make www") {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestBrowserCommand(t *testing.T) {
	for _, c := range []struct {
		system string
		env    map[string]string
		want   string
	}{
		{"linux", map[string]string{"BROWSER": "firefox", "DISPLAY": ":0"}, "firefox"},
		{"linux", map[string]string{"DISPLAY": ":0"}, "xdg-open"},
		{"linux", map[string]string{"WAYLAND_DISPLAY": "wayland-0"}, "xdg-open"},
		{"linux", nil, ""},
		{"darwin", nil, "open"},
		{"windows", nil, "rundll32"},
	} {
		got, _ := browserCommand(c.system, func(k string) string { return c.env[k] })
		if got != c.want {
			t.Errorf("%s %v: %q, want %q", c.system, c.env, got, c.want)
		}
	}
}
