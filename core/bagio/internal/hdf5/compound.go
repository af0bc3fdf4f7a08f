package hdf5

import "slices"

// A member is a number in the entries of a compound type.
type member struct {
	name string
	at   int // byte of the entry
	kind Type
}

// mostMembers bounds the members of a compound type.
const mostMembers = 1 << 10

// members reads the members of a compound type of size bytes (section "Datatype Message", class 6).
// It returns nil if one of them is neither a number nor a text of a fixed length: the message does
// not state how long the description of its type is.
func members(c *cursor, version byte, count, size int) []member {
	if count > mostMembers {
		return nil
	}
	var out []member
	for range count {
		from := c.pos
		m := member{name: c.text()}
		if version < 3 {
			c.bytes((from - c.pos) & 7)
			m.at = int(c.u32())
		} else {
			n := 1
			for bytes := size >> 8; bytes > 0; bytes >>= 8 {
				n++
			}
			m.at = int(c.uint(n))
		}
		if version == 1 {
			if c.u8() != 0 { // an array
				return nil
			}
			c.bytes(3 + 4 + 4 + 4*4)
		}
		// Integers, floats and texts of a fixed length: the description ends where it was read to.
		if c.left() == 0 || !slices.Contains([]byte{0, 1, 3}, c.b[c.pos]&15) {
			return nil
		}
		m.kind = datatype(c)
		if c.err == nil && (m.at < 0 || m.kind.Size > size || m.at > size-m.kind.Size) {
			c.fail("the member %q does not lie in the %d bytes of an entry", m.name, size)
		}
		if c.err != nil || m.kind.Kind == 0 {
			return nil
		}
		out = append(out, m)
	}
	return out
}

// Members returns the names of the members of each entry of a dataset of a compound type, "" for
// those that are no numbers; or nil for another dataset.
func (d *Dataset) Members() []string {
	var names []string
	if d.member != nil {
		return nil
	}
	for _, m := range d.Type.members {
		if m.kind.Kind == 'S' {
			m.name = ""
		}
		names = append(names, m.name)
	}
	return names
}

// Member returns the dataset of one number of each entry of a compound type, by its index in
// Members. It must not be read while the others are.
func (d *Dataset) Member(i int) *Dataset {
	out := *d
	out.member = &d.Type.members[i]
	return &out
}

// picked returns the entries of a member among n of a compound type.
func (m *member) picked(src []byte, n, size int) []byte {
	out := make([]byte, 0, n*m.kind.Size)
	for i := range n {
		out = append(out, src[i*size+m.at:][:m.kind.Size]...)
	}
	return out
}
