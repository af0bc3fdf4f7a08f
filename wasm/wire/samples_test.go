package wire

import (
	"fmt"
	"math"
	"reflect"
)

// samples returns each message twice: as its zero value, and with every field filled.
func samples() []Message {
	var list []Message
	for n, body := range Bodies() {
		zero := reflect.New(reflect.TypeOf(body)).Elem()
		full := reflect.New(reflect.TypeOf(body)).Elem()
		new(filler).fill(full)
		for _, v := range []reflect.Value{zero, full} {
			list = append(list, Message{ID: uint32(n) << 24, Body: v.Interface()})
		}
	}
	return list
}

// A filler gives every value another content.
type filler struct{ n int }

func (f *filler) fill(v reflect.Value) {
	f.n++
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt([]int64{int64(f.n), -int64(f.n), maxInt, -maxInt}[f.n%4])
	case reflect.Uint64:
		v.SetUint(math.MaxUint64 - uint64(f.n))
	case reflect.Uint8:
		v.SetUint(uint64(255 - f.n))
	case reflect.Float64, reflect.Float32:
		v.SetFloat([]float64{-0.5, 1.25e-3, math.Inf(-1), 3.5e30}[f.n%4])
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d, ẞ, 日本, \U0001F52C, \x00", f.n))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for _, key := range []string{"__proto__", "b", "ẞ"} {
			value := reflect.New(v.Type().Elem()).Elem()
			f.fill(value)
			v.SetMapIndex(reflect.ValueOf(key), value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i))
		}
	case reflect.Interface:
		v.Set(reflect.ValueOf([]any{"word", true, -3, 0.5}[f.n%4]))
	}
}
