package main

import (
	"os"
	"os/exec"
	"runtime"
)

// openBrowser opens an address in the program of the environment variable BROWSER, or in the
// system's browser. If there is none, it does nothing; the terminal shows the address.
func openBrowser(address string) {
	name, arguments := browserCommand(runtime.GOOS, os.Getenv)
	if name == "" {
		return
	}
	cmd := exec.Command(name, append(arguments, address)...)
	if cmd.Start() == nil {
		go cmd.Wait()
	}
}

// browserCommand returns the program that opens addresses with its arguments, or "" on a system
// without a screen.
func browserCommand(system string, env func(string) string) (string, []string) {
	if b := env("BROWSER"); b != "" {
		return b, nil
	}
	switch system {
	case "darwin":
		return "open", nil
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler"}
	}
	if env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == "" {
		return "", nil
	}
	return "xdg-open", nil
}
