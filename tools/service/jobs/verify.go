package jobs

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"math"

	"github.com/bagscope/bagscope/internal/msg"
)

// This file checks the structure of a bbolt file before bbolt maps it into memory. bbolt trusts
// page numbers, counts and offsets: with damaged ones it ends the process by a memory fault, loops,
// or returns bytes of other pages. bbolt's own Check has the same weakness, and runs in a goroutine
// whose faults cannot be recovered. The layout is that of bbolt's internal/common, version 2.

// Sizes in bytes, and flags of pages.
const (
	pageHeader    = 16
	elementHeader = 16
	bucketHeader  = 16
	metaSize      = 64

	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10

	bucketEntry = 0x01

	metaMagic = 0xED0CDAED
	noPage    = math.MaxUint64
)

// maxTreeDepth bounds recursion. A tree of this depth would have more pages than a disk.
const maxTreeDepth = 64

// A verifier reads the pages of a file of size bytes.
type verifier struct {
	file     io.ReaderAt
	size     int64
	pageSize int64
	pages    uint64          // pages in use, those of the header included
	used     map[uint64]bool // pages that were found
}

// verify returns an error that states the first damage of a bbolt file, or nil. It reads the whole
// file once.
func verify(file io.ReaderAt, size int64) error {
	v := &verifier{file: file, size: size, used: map[uint64]bool{0: true, 1: true}}
	meta := v.newestMeta()
	if meta == nil {
		return fmt.Errorf("no valid header")
	}
	v.pageSize = int64(binary.LittleEndian.Uint32(meta[8:]))
	root, free := binary.LittleEndian.Uint64(meta[16:]), binary.LittleEndian.Uint64(meta[32:])
	v.pages = binary.LittleEndian.Uint64(meta[40:])
	if v.pages > uint64(size/v.pageSize) {
		return fmt.Errorf("%d bytes, but its header states %d pages of %d bytes: it was cut off",
			size, v.pages, v.pageSize)
	}
	if err := v.tree(root, nil, nil, 0); err != nil {
		return err
	}
	if free != noPage {
		if err := v.freelist(free); err != nil {
			return err
		}
	}
	if missing := v.pages - uint64(len(v.used)); missing != 0 {
		return fmt.Errorf("%d pages that belong to nothing", missing)
	}
	return nil
}

// newestMeta returns the valid header of the latest transaction, or nil. The second header is one
// page behind the first; the size of a page is a power of two from 1 to 64 KB.
func (v *verifier) newestMeta() (newest []byte) {
	for _, at := range []int64{0, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16} {
		m := make([]byte, metaSize)
		if _, err := v.file.ReadAt(m, at+pageHeader); err != nil {
			break
		}
		sum := fnv.New64a()
		sum.Write(m[:metaSize-8])
		size := int64(binary.LittleEndian.Uint32(m[8:]))
		if binary.LittleEndian.Uint32(m) != metaMagic || size < 1<<10 || at != 0 && at != size ||
			binary.LittleEndian.Uint64(m[metaSize-8:]) != sum.Sum64() {
			continue
		}
		if newest == nil || binary.LittleEndian.Uint64(m[48:]) >
			binary.LittleEndian.Uint64(newest[48:]) {
			newest = m
		}
	}
	return newest
}

// page reads a page with its overflow pages, which must not have been found before.
func (v *verifier) page(id uint64) ([]byte, error) {
	if id < 2 || id >= v.pages {
		return nil, fmt.Errorf("a reference to page %d of %d", id, v.pages)
	}
	head := make([]byte, pageHeader)
	if _, err := v.file.ReadAt(head, int64(id)*v.pageSize); err != nil {
		return nil, msg.Errorf("page %d cannot be read: %w", id, err)
	}
	overflow := uint64(binary.LittleEndian.Uint32(head[12:]))
	if binary.LittleEndian.Uint64(head) != id || overflow >= v.pages-id {
		return nil, fmt.Errorf("page %d has an invalid header", id)
	}
	for n := id; n <= id+overflow; n++ {
		if v.used[n] {
			return nil, fmt.Errorf("two references to page %d", n)
		}
		v.used[n] = true
	}
	// The length is bounded by the size of the file.
	data := make([]byte, int64(overflow+1)*v.pageSize)
	if _, err := v.file.ReadAt(data, int64(id)*v.pageSize); err != nil {
		return nil, msg.Errorf("page %d cannot be read: %w", id, err)
	}
	return data, nil
}

// tree checks the pages of a bucket. Its keys must be at least low and, unless high is nil, below
// high.
func (v *verifier) tree(id uint64, low, high []byte, depth int) error {
	data, err := v.page(id)
	if err != nil {
		return err
	}
	if depth > maxTreeDepth {
		return fmt.Errorf("page %d lies too deep", id)
	}
	if err := v.elements(data, low, high, depth); err != nil {
		return msg.Errorf("page %d: %w", id, err)
	}
	return nil
}

// elements checks the elements of a branch or leaf page, and what they refer to.
func (v *verifier) elements(data, low, high []byte, depth int) error {
	flags, count := binary.LittleEndian.Uint16(data[8:]), int(binary.LittleEndian.Uint16(data[10:]))
	if flags != branchPage && flags != leafPage || flags == branchPage && count == 0 {
		return msg.Errorf("invalid kind %#x with %d keys", flags, count)
	}
	if pageHeader+count*elementHeader > len(data) {
		return fmt.Errorf("%d keys do not fit", count)
	}
	last := low
	for i := range count {
		e, err := elementOf(data, i, flags)
		if err != nil {
			return err
		}
		order := bytes.Compare(e.key, last)
		if order < 0 || order == 0 && i > 0 || high != nil && bytes.Compare(e.key, high) >= 0 {
			return fmt.Errorf("key %d is out of order", i)
		}
		last = e.key
		if flags == branchPage {
			until := high
			if i+1 < count {
				next, err := elementOf(data, i+1, flags)
				if err != nil {
					return err
				}
				until = next.key
			}
			err = v.tree(e.child, e.key, until, depth+1)
		} else if e.bucket {
			err = v.bucket(e.value, depth)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// An element is a key of a page with its child page or its value.
type element struct {
	key, value []byte
	child      uint64
	bucket     bool
}

// elementOf returns element i of a page.
func elementOf(data []byte, i int, flags uint16) (e element, err error) {
	at := pageHeader + i*elementHeader
	head := data[at:]
	var pos, keySize, valueSize uint64
	if flags == branchPage {
		pos, keySize = uint64(binary.LittleEndian.Uint32(head)),
			uint64(binary.LittleEndian.Uint32(head[4:]))
		e.child = binary.LittleEndian.Uint64(head[8:])
	} else {
		kind := binary.LittleEndian.Uint32(head)
		if kind > bucketEntry {
			return e, fmt.Errorf("key %d has the invalid kind %d", i, kind)
		}
		e.bucket = kind == bucketEntry
		pos, keySize = uint64(binary.LittleEndian.Uint32(head[4:])),
			uint64(binary.LittleEndian.Uint32(head[8:]))
		valueSize = uint64(binary.LittleEndian.Uint32(head[12:]))
	}
	begin := uint64(at) + pos
	if begin+keySize+valueSize > uint64(len(data)) {
		return e, fmt.Errorf("key %d lies outside of its page", i)
	}
	e.key, e.value = data[begin:begin+keySize], data[begin+keySize:begin+keySize+valueSize]
	return e, nil
}

// bucket checks a bucket inside another: its own tree, or one page inside the value.
func (v *verifier) bucket(value []byte, depth int) error {
	if depth > maxTreeDepth || len(value) < bucketHeader {
		return fmt.Errorf("an invalid bucket of %d bytes", len(value))
	}
	if root := binary.LittleEndian.Uint64(value); root != 0 {
		return v.tree(root, nil, nil, depth+1)
	}
	inline := value[bucketHeader:]
	if len(inline) < pageHeader || binary.LittleEndian.Uint16(inline[8:]) != leafPage {
		return fmt.Errorf("an invalid bucket of %d bytes", len(value))
	}
	return v.elements(inline, nil, nil, depth+1)
}

// freelist checks the list of free pages.
func (v *verifier) freelist(id uint64) error {
	data, err := v.page(id)
	if err != nil {
		return err
	}
	count, list := uint64(binary.LittleEndian.Uint16(data[10:])), data[pageHeader:]
	if count == math.MaxUint16 { // the first entry holds the count
		count, list = binary.LittleEndian.Uint64(list), list[8:]
	}
	if binary.LittleEndian.Uint16(data[8:]) != freelistPage || count > uint64(len(list)/8) {
		return fmt.Errorf("page %d: an invalid list of %d free pages", id, count)
	}
	for i := range count {
		free := binary.LittleEndian.Uint64(list[8*i:])
		if free < 2 || free >= v.pages || v.used[free] {
			return fmt.Errorf("page %d is free and in use, or does not exist", free)
		}
		v.used[free] = true
	}
	return nil
}
