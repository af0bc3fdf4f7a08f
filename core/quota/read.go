package quota

import "io"

// ReadAll reads r to its end into memory that it reserves in m as the bytes arrive. size is the
// expected number of bytes, 0 if it is not known; only a trusted size may be given, because it is
// reserved at once. The capacity of the result stays reserved. After an error nothing does.
func (m *Memory) ReadAll(r io.Reader, size int64, purpose string) ([]byte, error) {
	size = max(size+1, 512) // one more byte finds the end
	if err := m.Reserve(size, purpose); err != nil {
		return nil, err
	}
	out := make([]byte, 0, size)
	for {
		n, err := r.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		if err == io.EOF {
			return out, nil
		}
		if err == nil && len(out) == cap(out) {
			// Both blocks exist while the bytes are copied.
			if err = m.Reserve(2*size, purpose); err == nil {
				out = append(make([]byte, 0, 2*size), out...)
				m.Release(size)
				size *= 2
			}
		}
		if err != nil {
			m.Release(size)
			return nil, err
		}
	}
}
