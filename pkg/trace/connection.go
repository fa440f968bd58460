package trace

// How a disk is connected, as scenarios and traces name it. Other labels are free.
const (
	OnHub    = "hub"
	Direct   = "direct"   // on a port of its own
	Internal = "internal" // built into the computer
)

// OwnPort reports whether a disk of this connection contends with nobody on the hub.
func OwnPort(connection string) bool { return connection == Direct || connection == Internal }
