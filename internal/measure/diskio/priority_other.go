//go:build !darwin

package diskio

// Priority says nothing if no policy of the process's own holds its requests back.
func Priority() (name, doubt string) { return "", "" }
