package core

import "slices"

// A memory holds the value of every coalition that the model has scored. Coalitions of one instance and of
// all but one are told by that instance and need no mask: a bag of 100,000 instances has 2.5 GB of those.
type memory struct {
	k, classes int
	tables     [3]table
	masks      *coalitionSet // the rows of the general table
	count      int           // coalitions that are known
}

// The tables of a memory.
const (
	general = iota
	singles // {x_i}
	removed // X without x_i
)

// A table holds values by row.
type table struct {
	values []float64 // (row, class)
	state  []state   // (row)
	asker  []int32   // (row) who asked last
}

type state uint8

const (
	unknown state = iota
	pending
	known
)

// A slot is the place of a coalition's values.
type slot struct{ table, row int }

func newMemory(k, classes int) *memory {
	return &memory{k: k, classes: classes, masks: newCoalitionSet(k, 0)}
}

// locate returns the slot of coalition j of z, making room for a new one.
func (m *memory) locate(z *Coalitions, j int) slot {
	var s slot
	switch size := z.Size(j); {
	case size == 1 && m.k > 1:
		s = slot{singles, z.first(j, 0)}
	case size == m.k-1 && m.k > 2:
		s = slot{removed, z.first(j, ^uint64(0))}
	default:
		s.row, _ = m.masks.enter(z.Row(j))
	}
	if n := s.row + 1; s.table == general {
		m.grow(general, n)
	} else {
		m.grow(s.table, m.k)
	}
	return s
}

// grow makes room for n rows of a table.
func (m *memory) grow(at, n int) {
	t := &m.tables[at]
	if rows := len(t.state); n > rows {
		t.values = slices.Grow(t.values, (n-rows)*m.classes)[:n*m.classes]
		t.state = append(t.state, make([]state, n-rows)...)
		t.asker = append(t.asker, make([]int32, n-rows)...)
	}
}

// gap returns the first rows of an instance table from lo on that are not known, at most n of them, and none
// at its end.
func (m *memory) gap(at, lo, n int) (from, to int) {
	m.grow(at, m.k)
	t := m.tables[at].state
	for from = lo; from < m.k && t[from] == known; from++ {
	}
	for to = from; to < m.k && to < from+n && t[to] != known; to++ {
	}
	return from, to
}

// at returns the values of a slot, shared with the memory.
func (m *memory) at(s slot) []float64 {
	return m.tables[s.table].values[s.row*m.classes : (s.row+1)*m.classes]
}

// claim marks a slot as about to be evaluated and reports whether it needs to be.
func (m *memory) claim(s slot) bool {
	t := &m.tables[s.table]
	if t.state[s.row] != unknown {
		return false
	}
	t.state[s.row] = pending
	return true
}

// learn writes the values of claimed slots, shaped (slot, class).
func (m *memory) learn(slots []slot, values []float64) {
	for n, s := range slots {
		copy(m.at(s), values[n*m.classes:])
		m.tables[s.table].state[s.row] = known
	}
	m.count += len(slots)
}

// disclaim gives claimed slots up, whose values did not come.
func (m *memory) disclaim(slots []slot) {
	rows := m.masks.rows.Len()
	for _, s := range slots {
		m.tables[s.table].state[s.row] = unknown
		if s.table == general {
			rows = min(rows, s.row)
		}
	}
	m.masks.truncate(rows)
	t := &m.tables[general]
	t.values, t.state, t.asker = t.values[:rows*m.classes], t.state[:rows], t.asker[:rows]
}

// touch notes who asked for a slot; asked counts the slots that someone asked for last.
func (m *memory) touch(s slot, asker int32) { m.tables[s.table].asker[s.row] = asker }

func (m *memory) asked(asker int32) int {
	n := 0
	for _, t := range m.tables {
		for _, a := range t.asker {
			if a == asker {
				n++
			}
		}
	}
	return n
}
