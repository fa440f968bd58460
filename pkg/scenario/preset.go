package scenario

// Orders in which a job takes its files.
const (
	orderRandom     = "random"     // drawn sizes as they were drawn; listed ones shuffled, anew in every phase
	orderAscending  = "ascending"  // smallest first
	orderDescending = "descending" // largest first
	orderListed     = "listed"     // as the list has them
)

// orders lists them.
func orders() []string {
	return []string{orderRandom, orderAscending, orderDescending, orderListed}
}

// preset is a method of the field, as data: which files, how many, in which order. What the disks do with them
// is for the phases to say.
type preset struct {
	name  string
	files int
	sizes Sizes
	order string
}

// presets lists the methods. Sizes are decimal, as in the reports they come from.
func presets() []preset {
	const (
		kb = int64(1e3)
		mb = int64(1e6)
		gb = int64(1e9)
	)
	anySize := Sizes{Min: 2 * mb, Max: 2 * gb, Distribution: uniform}
	return []preset{
		// The one for concurrent tests: sizes as varied as a real copy's.
		{name: "random", files: 50, sizes: anySize, order: orderRandom},
		// Ten files of each size, 53.3 GB.
		{name: "standard", files: 160, order: orderRandom, sizes: Sizes{List: []int64{
			2 * mb, 4 * mb, 6 * mb, 8 * mb, 10 * mb, 20 * mb, 40 * mb, 60 * mb, 80 * mb, 100 * mb,
			200 * mb, 400 * mb, 600 * mb, 800 * mb, 1 * gb, 2 * gb,
		}}},
		// Speed against size, one file of each. The reports give the ends and the number of sizes; these steps are close
		// where they saw speed change (under 1 MB, around 600 MB).
		{name: "ladder", files: 20, order: orderAscending, sizes: Sizes{List: []int64{
			50 * kb, 100 * kb, 200 * kb, 400 * kb, 600 * kb, 800 * kb, 1 * mb, 2 * mb, 5 * mb, 10 * mb,
			20 * mb, 50 * mb, 100 * mb, 200 * mb, 400 * mb, 600 * mb, 800 * mb, 1 * gb, 1500 * mb, 2 * gb,
		}}},
		// Speed against all the bytes so far: long enough to exhaust a cache or to heat a disk. 800 files for the stubborn.
		{name: "endurance", files: 320, sizes: anySize, order: orderRandom},
		// The look of Blackmagic Disk Speed Test: one long file; repeat the phase for over and over.
		{name: "blackmagic", files: 1, sizes: Sizes{List: []int64{5 * gb}}, order: orderListed},
	}
}

// presetNames lists the presets' names.
func presetNames() []string {
	var names []string
	for _, p := range presets() {
		names = append(names, p.name)
	}
	return names
}

// presetByName finds a preset.
func presetByName(name string) preset {
	for _, p := range presets() {
		if p.name == name {
			return p
		}
	}
	return presets()[0]
}
