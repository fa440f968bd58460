package strictyaml

import (
	"fmt"
	"slices"
)

// Key is one key that a mapping may have.
type Key struct {
	Name  string
	Value Value
	About string   // for people, in one line: the schema's description
	Need  bool     // it must be there
	Not   []string // rules that refuse it, by names of the caller's own
}

// Optional is a key that may be absent.
func Optional(name string, value Value, about string) Key {
	return Key{Name: name, Value: value, About: about}
}

// Required is a key that must be there.
func Required(name string, value Value, about string) Key {
	return Key{Name: name, Value: value, About: about, Need: true}
}

// Object is a mapping with known keys: the table that reads it and that is its schema.
type Object struct {
	Keys  []Key   // read in this order, for some depend on others
	Short string  // the key whose value a word in place of the mapping most likely is
	Among []Among // groups of keys that stand for one another
	Check func(*Mapping)

	at **Mapping // where to put the mapping; nil: nowhere
}

// Among is of keys that stand for one another.
type Among struct {
	Keys    []string
	Both    string // what is wrong if two are; empty: nothing
	Neither string // what is wrong if none is; empty: nothing
}

// Value is the object as a value.
func (o Object) Value() Value { return Value{o.read, o.schema} }

func (o Object) read(n Node) {
	if o.at != nil {
		*o.at = &Mapping{doc: n.doc, pos: n.pos, none: true}
	}
	if n.Kind() == Text && o.Short != "" {
		n.Errorf("%[1]s is %[2]s, not a mapping; try %[1]s: {%[3]s: %[2]s}", n.label,
			Quote(n.Raw()), o.Short)
		return
	}
	m := n.Mapping()
	if o.at != nil {
		*o.at = m
	}
	for _, c := range o.Among {
		var last Node
		count := 0
		for _, key := range c.Keys {
			if n, ok := m.Get(key); ok {
				last = n
				count++
			}
		}
		switch {
		case count == 0 && c.Neither != "":
			m.Missing(c.Keys[0], "%s", c.Neither)
		case count > 1 && c.Both != "":
			last.Errorf("%s", c.Both)
		}
	}
	var known []string
	for _, k := range o.Keys {
		known = append(known, k.Name)
		if i := slices.IndexFunc(m.pairs, func(p Pair) bool { return p.Key == k.Name }); i >= 0 {
			m.pairs[i].Not = k.Not
			k.Value.Read(m.pairs[i].Value)
		} else if k.Need {
			add := "it"
			if value, ok := k.Value.Schema()["const"]; ok {
				add = fmt.Sprintf("%s: %v", k.Name, value)
			}
			m.Missing(k.Name, "the key %s is missing; add %s", k.Name, add)
		}
	}
	if o.Check != nil && !m.none {
		o.Check(m)
	}
	m.refuseOthers(known)
}

func (o Object) schema() Schema {
	properties := Schema{}
	var need []string
	for _, k := range o.Keys {
		properties[k.Name] = k.Value.Schema()
		if k.About != "" {
			properties[k.Name] = with(k.Value.Schema(), "description", k.About)
		}
		if k.Need {
			need = append(need, k.Name)
		}
	}
	s := Schema{"type": "object", "properties": properties, "additionalProperties": false}
	if need != nil {
		s["required"] = need
	}
	var all []Schema
	for _, c := range o.Among {
		var each []Schema
		for _, key := range c.Keys {
			each = append(each, Schema{"required": []string{key}})
		}
		if c.Neither == "" {
			each = append(each, Schema{"not": Schema{"anyOf": slices.Clone(each)}})
		}
		if c.Both != "" {
			all = append(all, Schema{"oneOf": each})
		} else {
			all = append(all, Schema{"anyOf": each})
		}
	}
	if all != nil {
		s["allOf"] = all
	}
	return s
}

// Items is a list of values alike.
type Items[T any] struct {
	To    *[]T
	Item  func(*T) Value
	Empty string // what is wrong if there is none, and what to try; empty: nothing
	Max   int    // items; 0: any number
}

// Value is the list as a value.
func (l Items[T]) Value() Value {
	return Value{l.read, func() Schema {
		s := Schema{"type": "array", "items": l.Item(new(T)).Schema()}
		if l.Empty != "" {
			s["minItems"] = 1
		}
		if l.Max > 0 {
			s["maxItems"] = l.Max
		}
		return s
	}}
}

func (l Items[T]) read(n Node) {
	items := n.Items()
	if len(items) == 0 && n.Kind() == List && l.Empty != "" {
		n.Errorf("%s", l.Empty)
	}
	if l.Max > 0 && len(items) > l.Max {
		items[l.Max].Errorf("more than %d %s; remove some", l.Max, n.label)
		return
	}
	for _, item := range items {
		var v T
		l.Item(&v).Read(item)
		*l.To = append(*l.To, v)
	}
}
