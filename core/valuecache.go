package core

import "slices"

// A valueCache holds the values of all coalitions that the model has scored. Coalitions of one
// instance and of all but one are keyed by that instance, without a mask: the masks of a bag of
// 100,000 instances would take 2.5 GB.
type valueCache struct {
	k, classes int
	tables     [3]table
	masks      *CoalitionSet // the rows of generalTable
	count      int           // coalitions with stored values
}

// The tables of a value cache.
const (
	generalTable = iota
	singlesTable // {x_i}
	removedTable // X without x_i
)

// A table holds values by row.
type table struct {
	values []float64 // (row, class)
	state  []state   // (row)
	user   []int32   // (row) the method that used the row last
}

// A state is whether a row has values. Rows are pending while the model evaluates them.
type state uint8

const (
	unknown state = iota
	pending
	known
)

// A slot is the place of a coalition's values.
type slot struct{ table, row int }

// newValueCache returns an empty cache for k instances.
func newValueCache(k, classes int) *valueCache {
	return &valueCache{k: k, classes: classes, masks: NewCoalitionSet(k, 0)}
}

// locate returns the slot of coalition j of z, making room for a new one.
func (m *valueCache) locate(z *Coalitions, j int) slot {
	s, rows := slot{}, m.k
	switch size := z.Size(j); {
	case size == 1 && m.k > 1:
		s = slot{singlesTable, z.first(j, 0)}
	case size == m.k-1 && m.k > 2:
		s = slot{removedTable, z.first(j, ^uint64(0))}
	default:
		s.row, _ = m.masks.Add(z.Row(j))
		rows = s.row + 1
	}
	m.grow(s.table, rows)
	return s
}

// grow makes room for n rows of a table.
func (m *valueCache) grow(at, n int) {
	t := &m.tables[at]
	if rows := len(t.state); n > rows {
		t.values = slices.Grow(t.values, (n-rows)*m.classes)[:n*m.classes]
		t.state = append(t.state, make([]state, n-rows)...)
		t.user = append(t.user, make([]int32, n-rows)...)
	}
}

// gap returns the first rows of an instance table from lo on that have no values, at most n of
// them. It returns an empty range at the end of the table.
func (m *valueCache) gap(at, lo, n int) (from, to int) {
	m.grow(at, m.k)
	t := m.tables[at].state
	for from = lo; from < m.k && t[from] == known; from++ {
	}
	for to = from; to < m.k && to < from+n && t[to] != known; to++ {
	}
	return from, to
}

// at returns the values of a slot. The slice is part of the cache.
func (m *valueCache) at(s slot) []float64 {
	return m.tables[s.table].values[s.row*m.classes : (s.row+1)*m.classes]
}

// claim marks a slot as about to be evaluated and reports whether it needs to be.
func (m *valueCache) claim(s slot) bool {
	t := &m.tables[s.table]
	if t.state[s.row] != unknown {
		return false
	}
	t.state[s.row] = pending
	return true
}

// store writes the values of claimed slots, shaped (slot, class).
func (m *valueCache) store(slots []slot, values []float64) {
	for n, s := range slots {
		copy(m.at(s), values[n*m.classes:])
		m.tables[s.table].state[s.row] = known
	}
	m.count += len(slots)
}

// release returns claimed slots to the unknown state after an evaluation that failed.
func (m *valueCache) release(slots []slot) {
	rows := m.masks.Rows.Len()
	for _, s := range slots {
		m.tables[s.table].state[s.row] = unknown
		if s.table == generalTable {
			rows = min(rows, s.row)
		}
	}
	m.masks.truncate(rows)
	t := &m.tables[generalTable]
	t.values, t.state, t.user = t.values[:rows*m.classes], t.state[:rows], t.user[:rows]
}

// touch records that a method uses a slot.
func (m *valueCache) touch(s slot, user int32) { m.tables[s.table].user[s.row] = user }

// usedBy returns the number of slots that a method used last.
func (m *valueCache) usedBy(user int32) int {
	n := 0
	for _, t := range m.tables {
		for _, a := range t.user {
			if a == user {
				n++
			}
		}
	}
	return n
}
