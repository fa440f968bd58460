//go:build !windows

package diskio

import "github.com/hubbench/hubbench/internal/measure/testfolder"

// folderPrefix begins the names of the folders that jobs make.
const folderPrefix = testfolder.Prefix
