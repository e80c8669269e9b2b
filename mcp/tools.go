package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// usual are the entities that have tools without being named in Options.Addresses.
var usual = []string{"products", "orders", "categories", "users", "statuses", "shipments"}

// refused are the names that no address of a tool may have.
var refused = map[string]bool{"auth": true, "keys": true, "webhooks": true, "changes": true, "batch": true, "jobs": true}

// hidden are the fields that no tool takes or gives.
var hidden = map[string]bool{"payment_info": true}

// argumentName is what clients accept as the name of an argument.
var argumentName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// idempotencyKey is the one header that is an argument.
const idempotencyKey = "Idempotency-Key"

// A tool is an operation of the API that a model may call.
type tool struct {
	name        string
	address     address
	method      string
	description string
	arguments   map[string]argument
}

// An argument is a parameter of the operation, or a member of its body.
type argument struct {
	in       string // path, query, header, member, or body for all of it
	schema   schema
	required bool
}

// An address is a path of the document.
type address struct {
	segments []string // names, and parameters as {name}
	action   bool
}

// isParameter returns the name of the parameter that a segment is.
func isParameter(segment string) (name string, ok bool) {
	name, ok = strings.CutPrefix(segment, "{")
	return strings.TrimSuffix(name, "}"), ok
}

// names are the segments that are not parameters.
func (a address) names() []string {
	return slices.DeleteFunc(slices.Clone(a.segments), func(s string) bool { return strings.HasPrefix(s, "{") })
}

// key is how Options.Addresses names the address.
func (a address) key() string {
	names := a.names()
	if last := len(names) - 1; a.action {
		return strings.Join(names[:last], "/") + ":" + names[last]
	}
	return strings.Join(names, "/")
}

// isObject reports whether the address is that of one object.
func (a address) isObject() bool {
	_, ok := isParameter(a.segments[len(a.segments)-1])
	return ok
}

// tools returns the tools of the document, in the order of their names.
func (d *document) tools(opts *Options) ([]*tool, error) {
	wanted := map[string]bool{}
	for _, name := range append(slices.Clone(usual), opts.Addresses...) {
		wanted[name] = true
	}
	var tools []*tool
	found := map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		item := d.Paths[path]
		segments := strings.Split(strings.Trim(path, "/"), "/")
		for _, o := range item.operations(segments) {
			key := o.address.key()
			if !wanted[key] {
				continue
			}
			found[key] = true
			if slices.ContainsFunc(o.address.names(), func(name string) bool { return refused[name] }) {
				return nil, fmt.Errorf("mcp: Options.Addresses names %q, which no tool may use", key)
			}
			if o.method != http.MethodGet && (!opts.Write && o.method != http.MethodDelete || !opts.Delete && o.method == http.MethodDelete) {
				continue
			}
			t, err := d.tool(o, item)
			if err != nil {
				return nil, err
			}
			tools = append(tools, t)
		}
	}
	for _, name := range opts.Addresses {
		if !found[name] {
			return nil, fmt.Errorf("mcp: Options.Addresses names %q, which the document does not have", name)
		}
	}
	if len(tools) == 0 {
		return nil, errors.New("mcp: Options.Document has no address for a tool")
	}
	slices.SortFunc(tools, func(a, b *tool) int { return cmp.Compare(a.name, b.name) })
	for i := 1; i < len(tools); i++ {
		if tools[i].name == tools[i-1].name {
			return nil, fmt.Errorf("mcp: %q and %q would both be the tool %s", tools[i-1].address.key(), tools[i].address.key(), tools[i].name)
		}
	}
	return tools, nil
}

// A toolOperation is an operation that can be a tool.
type toolOperation struct {
	*operation
	address address
	method  string
	verb    string // what the tool's name begins with
}

// operations returns the operations of a path that can be tools.
func (p pathItem) operations(segments []string) []toolOperation {
	a := address{segments: segments}
	names := a.names()
	all := []toolOperation{{p.Get, a, http.MethodGet, "list"}, {p.Post, a, http.MethodPost, "create"}}
	switch {
	case a.isObject():
		all = []toolOperation{{p.Get, a, http.MethodGet, "get"}, {p.Put, a, http.MethodPut, "update"}, {p.Delete, a, http.MethodDelete, "delete"}}
	case p.Post != nil && p.Post.OperationID == strings.Join(names, "_"):
		a.action = true
		all = []toolOperation{{p.Post, a, http.MethodPost, names[len(names)-1]}}
	}
	return slices.DeleteFunc(all, func(o toolOperation) bool { return o.operation == nil })
}

// tool makes a tool of an operation.
func (d *document) tool(o toolOperation, item pathItem) (*tool, error) {
	t := &tool{address: o.address, method: o.method, arguments: map[string]argument{}}
	names := o.address.names()
	if o.address.action {
		names = names[:len(names)-1]
	}
	for i := range names {
		if i < len(names)-1 || o.verb != "list" {
			names[i] = singular(names[i])
		}
	}
	t.name = o.verb + "_" + strings.Join(names, "_")
	if !argumentName.MatchString(t.name) {
		return nil, fmt.Errorf("mcp: the tool of %q would have the name %q, which clients refuse", o.address.key(), t.name)
	}
	t.description = strings.TrimSpace(strings.TrimSuffix(o.Summary, ".") + ". " + o.Description)
	for _, p := range append(slices.Clone(item.Parameters), o.Parameters...) {
		p, err := d.parameter(p)
		if err != nil {
			return nil, err
		}
		if p.In != "path" && p.In != "query" && p.Name != idempotencyKey || !argumentName.MatchString(p.Name) {
			continue
		}
		if t.arguments[p.Name].in == "path" {
			continue // a filter by the parent, which the address names
		}
		s := d.selfContained(p.Schema, 0)
		if p.Description != "" {
			s["description"] = p.Description
		}
		t.arguments[p.Name] = argument{p.In, s, p.Required}
	}
	for _, segment := range o.address.segments {
		if name, ok := isParameter(segment); ok && t.arguments[name].in != "path" {
			return nil, fmt.Errorf("mcp: Options.Document does not describe the parameter %s of %q", name, o.address.key())
		}
	}
	if content, ok := o.RequestBody.Content["application/json"]; ok {
		d.addBody(t, content.Schema)
	}
	return t, nil
}

// addBody makes an argument of each member of the body, or one of the whole body where
// its members have no names. A parameter wins over a member of its name.
func (d *document) addBody(t *tool, body schema) {
	members, required := d.members(body)
	for name, member := range members {
		if _, taken := t.arguments[name]; taken || !argumentName.MatchString(name) || hidden[name] {
			continue
		}
		s, _ := member.(schema)
		t.arguments[name] = argument{"member", s, slices.Contains(required, name)}
	}
	if len(members) == 0 {
		t.arguments["body"] = argument{"body", schema{"type": "object", "description": "The object to send."}, false}
	}
}

// describe is the tool as clients see it.
func (t *tool) describe() *mcp.Tool {
	properties, required := map[string]any{}, []string{}
	for _, name := range slices.Sorted(maps.Keys(t.arguments)) {
		properties[name] = t.arguments[name].schema
		if t.arguments[name].required {
			required = append(required, name)
		}
	}
	adds := t.method != http.MethodPost || t.address.action
	closed := false
	return &mcp.Tool{
		Name:        t.name,
		Description: t.description,
		InputSchema: map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false},
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint:    t.method == http.MethodGet,
			DestructiveHint: &adds,
			IdempotentHint:  t.method == http.MethodPut || t.method == http.MethodDelete,
			OpenWorldHint:   &closed,
		},
	}
}

// singular is the name of one object of an entity.
func singular(name string) string {
	for _, ending := range []struct{ many, one string }{
		{"statuses", "status"}, {"ies", "y"}, {"sses", "ss"}, {"xes", "x"}, {"ches", "ch"}, {"shes", "sh"}, {"ss", "ss"}, {"s", ""},
	} {
		if stem, ok := strings.CutSuffix(name, ending.many); ok {
			return stem + ending.one
		}
	}
	return name
}
