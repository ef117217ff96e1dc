package gen

import (
	"reflect"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"
)

const pkg = "github.com/dprelease/dprelease/configs"

// docs holds the Go comments of package configs; the keys are names of types and fields.
type docs map[string]string

func readDocs() (docs, error) {
	r := new(jsonschema.Reflector)
	if err := r.AddGoComments(pkg, ".", jsonschema.WithFullComment()); err != nil {
		return nil, err
	}
	return r.CommentMap, nil
}

// commentOf returns the comment of a type, or of one of its fields, on one line.
func (d docs) commentOf(t reflect.Type, name string) string {
	key := pkg + "." + t.Name()
	if name != "" {
		key += "." + name
	}
	if name == "" {
		name = t.Name()
	}
	return sentence(strings.Join(strings.Fields(d[key]), " "), name)
}

// sentence removes the Go name from the beginning of a comment: "Epsilon bounds the loss" becomes "Bounds the loss". It
// keeps the name in a phrase such as "Name of the release".
func sentence(comment, name string) string {
	rest, ok := strings.CutPrefix(comment, name+" ")
	next, _, _ := strings.Cut(rest, " ")
	if !ok || rest == "" || slices.Contains([]string{"of", "that", "whose", "with", "edge"}, next) {
		return comment
	}
	if next == "is" || next == "are" {
		rest = strings.TrimPrefix(rest, next+" ")
	}
	return strings.ToUpper(rest[:1]) + rest[1:]
}

// field is one key of a struct, with its tags and comment.
type field struct {
	key      string
	typ      reflect.Type // the element's type if the field is a pointer
	required bool
	tag      reflect.StructTag
	text     string
}

func words(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "|")
}
