package tiny

import "testing"

func TestClamp(t *testing.T) {
	if Clamp(1, 2, 5) != 2 || Clamp(3, 2, 5) != 3 {
		t.Error("wrong")
	}
}

func TestClampBelow(t *testing.T) {
	if Clamp(1, 2, 5) != 2 {
		t.Error("wrong")
	}
}

func TestAdd(t *testing.T) {
	var c Counter
	if n, err := c.Add(100); n != 1 || err != nil {
		t.Error("wrong", n, err)
	}
	if _, err := c.Add(-1); err == nil {
		t.Error("no error")
	}
}

func TestFirst(t *testing.T) {
	if v, err := First(0, 3, 4); v != 3 || err != nil {
		t.Error("wrong", v, err)
	}
	if _, err := First("", ""); err == nil {
		t.Error("no error")
	}
}

func TestFinite(t *testing.T) {
	for text, want := range map[string]bool{"3": true, "-Inf": true, "Inf": false, "x": false} {
		if _, ok := Finite(text); ok != want {
			t.Error("wrong", text)
		}
	}
}
