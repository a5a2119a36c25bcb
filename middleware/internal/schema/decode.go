package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
)

// Decode decodes JSON for a validation by a schema. A number beyond float64 is
// one of JSON's all the same: it stands for the largest there is. What a value
// is decoded to afterwards has its own say about it.
func Decode(text []byte) (any, error) {
	var v any
	err := json.Unmarshal(text, &v)
	var beyond *json.UnmarshalTypeError
	if !errors.As(err, &beyond) {
		return v, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return floats(v), nil
}

func floats(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64()
		return max(-math.MaxFloat64, min(f, math.MaxFloat64))
	case []any:
		for i, e := range v {
			v[i] = floats(e)
		}
	case map[string]any:
		for name, e := range v {
			v[name] = floats(e)
		}
	}
	return v
}
