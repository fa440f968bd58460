package doctor

// Question is what a check asks.
type Question struct {
	Check string
	Asks  string // in words, without a question mark
}

// Questions lists what is asked of the machine, and then of each disk.
func Questions() []Question {
	return []Question{
		{"clock", "Do all processes read the same clock"},
		{"stopwatch", "Does the clock run at the right speed"},
		{"timers", "Do waits end on time"},
		{"start", "Do workers start together, in 20 releases without a disk"},
		{"awake", "Does the machine stay awake"},
		{"priority", "Does hubbench run at normal priority"},
		{"power", "Does the processor run at full speed, on mains power"},
		{"permissions", "May the folder be written to"},
		{"folder", "Can a test folder be created, locked and removed"},
		{"direct", "Do 256 MB in large blocks go past the system's cache when written and read"},
		{"direct_4k", "Do 16 MB in blocks of 4 KiB go past the cache too"},
		{"counters", "Does the disk count the bytes that hubbench moves, and no others"},
		{"limits", "Is the disk the only limit: no control group, virtual machine or USB 2 cable"},
		{"flush", "Does a flush take as long as reaching the disk must, in each flush mode"},
		{"lanes", "Are four requests at a time to a new file as fast as one"},
	}
}
