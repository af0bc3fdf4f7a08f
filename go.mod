module github.com/bagscope/bagscope

go 1.26
