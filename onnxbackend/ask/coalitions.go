package ask

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// ReplaceRows makes the methods use coalitions over k instances instead of their samplers. A row
// has a character for each instance, 0 or 1; any other is a *core.SettingError.
func (p *Plan) ReplaceRows(rows []string, k int) error {
	z, err := coalitions(rows, k)
	if err != nil {
		return err
	}
	return p.Replace(z)
}

// coalitions parses strings of 0 and 1 with a character for each instance.
func coalitions(rows []string, k int) (*core.Coalitions, error) {
	// bad returns an error that names the coalition by its index.
	bad := func(j int, format string, args ...any) error {
		return &core.SettingError{Setting: "coalitions",
			Reason: msg.Sprintf("coalition %d %s", j, msg.Sprintf(format, args...))}
	}
	z := core.NewCoalitions(k, len(rows))
	for j, row := range rows {
		if len(row) != k {
			return nil, bad(j, "has %d characters, but the bag has %d instances", len(row), k)
		}
		// A coalition is a set of bits, 64 in each word.
		bits := z.AppendEmpty()
		for i := range k {
			switch row[i] {
			case '0':
			case '1':
				bits[i/64] |= 1 << (i % 64)
			default:
				return nil, bad(j, "has %q for instance %d; use 0 or 1", row[i], i)
			}
		}
	}
	return z, nil
}

// CoalitionMemory bounds the bytes of a game's cache if a question sets no bound. It leaves room
// for a bag in a 32-bit address space.
const CoalitionMemory = 1 << 30

// CoalitionBytes returns the memory of a coalition in a game's cache: its bits and a value for each
// class, twice because lists double while they grow.
func CoalitionBytes(k, classes int) int64 { return 2 * (8*int64((k+63)/64) + 8*int64(classes)) }
