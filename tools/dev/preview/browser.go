package main

import (
	"os"
	"os/exec"
	"runtime"
)

// openBrowser shows an address in the user's browser: the one that BROWSER names, else the
// system's. Where there is none, nothing happens; the address stands on the terminal.
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

// browserCommand returns the program that opens addresses, or "" where no screen is to be expected.
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
