package machine

import "github.com/bagscope/bagscope/core/quota"

// An account is what a machine has reserved in a Memory. Only a new block, and blocks that are
// freed, change it: runs that reuse blocks do not touch the Memory, which all machines share.
type account struct {
	memory *quota.Memory // nil for no bound
	bytes  int64         // bytes of the machine's blocks, in use or idle
}

// purpose names the memory of runs in errors.
const purpose = "a run of the model"

// move changes the Memory of an account whose machine has idle blocks only. After an error the
// machine must free them.
func (a *account) move(to *quota.Memory) error {
	from, n := a.memory, a.bytes
	a.memory = to
	if n == 0 {
		return nil
	}
	err := from.Move(n, to)
	if err != nil {
		a.bytes = 0
	}
	return err
}

// unreserve gives back n bytes.
func (a *account) unreserve(n int) {
	if n > 0 {
		a.bytes -= int64(n)
		a.memory.Release(int64(n))
	}
}

// Take reserves n bytes that the caller allocates beside the machine's blocks.
func (m *Machine) Take(n int) error {
	err := m.memory.Reserve(int64(n), purpose)
	if err == nil {
		m.bytes += int64(n)
	}
	return err
}

// Give gives back n bytes of Take.
func (m *Machine) Give(n int) { m.unreserve(n) }

// close gives back all bytes.
func (a *account) close() { a.memory.Release(a.bytes) }

// reserve reserves a new block, if need be in place of idle ones.
func (m *Machine) reserve(words int) error {
	n := 8 * int64(words)
	err := m.memory.Reserve(n, purpose)
	if err != nil && m.idle > 0 {
		m.Trim()
		err = m.memory.Reserve(n, purpose)
	}
	if err == nil {
		m.bytes += n
	}
	return err
}

// An idle machine of limited memory keeps at most 1/spareShare of it for its next run, and at most
// spareBytes: pools have several machines for each model.
const (
	spareShare = 64
	spareBytes = 16 << 20
)

// Rest frees idle memory, except for a small part, before a machine goes to a pool. Without a
// Memory in its limits it keeps all.
func (m *Machine) Rest() {
	if of := m.limits.Memory; of != nil &&
		int64(m.Spare()) > min(spareBytes, of.Limit()/spareShare) {
		m.Trim()
	}
}
