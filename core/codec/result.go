package codec

// Words of a result, in the order of shim.c.
const (
	wordSamples = iota // place of the samples, 0 if there are none
	wordWidth
	wordHeight
	wordChannels
	wordBits
	wordSigned
	wordMessage // place of the first error
	words
)

// messageBytes are those of an error of the module that are shown.
const messageBytes = 200

// check returns an error unless a result is that of a stream with this header. It trusts nothing
// that the module wrote. text begins with the module's error, which has ASCII letters in one line.
func check(result [words]uint32, text []byte, h Header) error {
	if result[wordSamples] == 0 {
		n := 0
		for n < len(text) && text[n] >= ' ' && text[n] <= '~' {
			n++
		}
		return bad("it cannot be decoded: %s", string(text[:n]))
	}
	got := Header{Width: int(result[wordWidth]), Height: int(result[wordHeight]),
		Channels: int(result[wordChannels]), Bits: int(result[wordBits]),
		Signed: result[wordSigned] == 1}
	if got != h {
		return bad("its decoder returned %d x %d pixels instead of %d x %d", got.Width,
			got.Height, h.Width, h.Height)
	}
	return nil
}

// errMemory is the error of a stream for which an instance has too little memory.
func errMemory() error { return bad("it needs more memory than its size justifies") }

// stopped returns the error for one that running the module returned.
func stopped(err error) error { return &FormatError{"its decoder stopped at damaged data", err} }
