package damage

import (
	"os"
	"sync"
)

// counted is the file that BAGSCOPE_DAMAGED names, or nil: it gets a byte for each damaged file, so
// that those of several test programs can be counted.
var counted = sync.OnceValue(func() *os.File {
	name := os.Getenv("BAGSCOPE_DAMAGED")
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	return f
})

// count counts a damaged file.
func count() {
	if f := counted(); f != nil {
		if _, err := f.Write([]byte{'.'}); err != nil {
			panic(err)
		}
	}
}
