package main

import (
	"fmt"
	"strings"
)

// A platform is one that commands are built for.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "/" + p.arch }

// name is the platform in names of files and folders.
func (p platform) name() string { return p.os + "-" + p.arch }

// exe is the name of a program's file.
func (p platform) exe(program string) string {
	if p.os == "windows" {
		return program + ".exe"
	}
	return program
}

// allPlatforms returns the platforms of a release.
func allPlatforms() []string {
	var all []string
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			all = append(all, platform{system, arch}.String())
		}
	}
	return all
}

// parsePlatforms reads names of platforms that are separated by commas.
func parsePlatforms(text string) ([]platform, error) {
	var list []platform
	for name := range strings.SplitSeq(text, ",") {
		system, arch, _ := strings.Cut(name, "/")
		p := platform{system, arch}
		known := false
		for _, other := range allPlatforms() {
			known = known || other == p.String()
		}
		if !known {
			return nil, fmt.Errorf("there is no platform %q; choose from %s", name,
				strings.Join(allPlatforms(), ", "))
		}
		list = append(list, p)
	}
	return list, nil
}
