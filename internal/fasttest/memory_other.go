//go:build !linux

package fasttest

func memoryDir() (dir string, ok bool) { return "", false }
