//go:build !darwin

package diskio

// priority says nothing where no policy of the process's own holds its requests back.
func priority() (name, doubt string) { return "", "" }
