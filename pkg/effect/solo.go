package effect

// Solos are what the disks have alone, work by work.
type Solos []Solo

// Solo is what a disk has alone at one work.
type Solo struct {
	Actor
	Rate
	Phases []string // sources
}

// Alone returns what the disks have in states of one disk each, which no other had a part in.
func Alone(states []*State) (solos Solos) {
	settings := settingsOf(states)
	t := &Table{repeats: repeatsDiffer(settings)}
	for _, set := range settings {
		solo := Solo{Actor: set[0].Parts[0].Actor}
		var rates []*Rate
		for _, state := range set {
			if r := state.Parts[0].longest(); r != nil {
				rates = append(rates, r)
				solo.Phases = append(solo.Phases, state.Phase)
			}
		}
		if len(rates) > 0 {
			solo.Rate = t.pool(rates)
			solos = append(solos, solo)
		}
	}
	return solos
}

// Of returns what a disk has alone at its work; nil if that was not measured.
func (s Solos) Of(a Actor) *Solo {
	for i := range s {
		if s[i].Same(a) {
			return &s[i]
		}
	}
	return nil
}
