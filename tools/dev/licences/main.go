// Licences writes the licence texts of everything that Go programs link into one file:
//
//	go run ./tools/dev/licences -os js -arch wasm -tags bagscope_simd -out LICENSES.txt ./wasm
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"runtime"
	"strings"

	"github.com/bagscope/bagscope/tools/dev/linked"
)

func main() {
	log.SetFlags(0)
	p := linked.Programs{}
	flag.StringVar(&p.OS, "os", runtime.GOOS, "the programs' GOOS")
	flag.StringVar(&p.Arch, "arch", runtime.GOARCH, "the programs' GOARCH")
	tags := flag.String("tags", "", "build `tags`, separated by commas")
	out := flag.String("out", "LICENSES.txt", "the `file` to write")
	flag.Parse()
	p.Packages = flag.Args()
	if *tags != "" {
		p.Tags = strings.Split(*tags, ",")
	}
	modules, err := linked.Modules(context.Background(), p)
	if err != nil {
		log.Fatal("licences: ", err)
	}
	if err := os.WriteFile(*out, []byte(linked.Text(modules)), 0o644); err != nil {
		log.Fatal("licences: ", err)
	}
}
