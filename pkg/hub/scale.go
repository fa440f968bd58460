package hub

import "slices"

// Scaled is the hub slowed down to a part of its rates, such as 0.2. What takes a given time still takes it: a cache and a
// knee's size shrink with the rates, lags stay as they are. Nothing was observed on it.
func (p *Profile) Scaled(part float64) *Profile {
	s := *p
	s.Evidence = Evidence{}
	for _, rate := range []*float64{&s.Link, &s.Lane, &s.Capacity.Read, &s.Capacity.Write, &s.Capacity.Both} {
		*rate *= part
	}
	s.Disks = slices.Clone(p.Disks)
	for i := range s.Disks {
		d := &s.Disks[i]
		for _, side := range []*Side{&d.Read, &d.Write} {
			side.Hub *= part
			side.Direct *= part
			side.Knee.AboveBytes = int64(float64(side.Knee.AboveBytes) * part)
		}
		if d.Cache != nil {
			d.Cache = &Cache{Bytes: int64(float64(d.Cache.Bytes) * part), After: d.Cache.After * part, Refill: d.Cache.Refill * part}
		}
	}
	return &s
}
