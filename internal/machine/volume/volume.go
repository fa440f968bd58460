// Package volume knows how large the file system of a folder is, and how full. What else there is to know of a folder is
// in package device. Start at Of.
package volume

import (
	"fmt"

	"github.com/hubbench/hubbench/pkg/scenario"
)

// Of asks for the file system that a folder is on.
func Of(folder string) (scenario.Volume, error) {
	v, err := query(folder)
	if err != nil {
		return v, fmt.Errorf("ask for the size of the file system of %s: %w", folder, err)
	}
	return v, nil
}
