package partialjson

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

type recipe struct {
	Title string `json:"title"`
	Level string `json:"level" enum:"easy,hard"`
	Steps []struct {
		Text    string  `json:"text"`
		Minutes float64 `json:"minutes"`
	} `json:"steps"`
}

// document is 10 KB in 2,500 pieces, about what a model sends.
func document() (whole string, pieces []string) {
	var b strings.Builder
	b.WriteString(`{"title":"Crème brûlée","level":"hard","steps":[`)
	for i := 0; b.Len() < 10_000-120; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"text":"Step %d: warm the cream, whisk the yolks,\nand \"temper\" both slowly.","minutes":%d.5}`, i, i)
	}
	b.WriteString(`]}`)
	whole = b.String()
	const n = 2500
	for i := range n {
		pieces = append(pieces, whole[len(whole)*i/n:len(whole)*(i+1)/n])
	}
	return whole, pieces
}

// benchmark streams the document; look is called after each piece.
func benchmark(b *testing.B, look func(*Reader)) {
	whole, pieces := document()
	shape := ShapeOf(reflect.TypeFor[recipe]())
	b.ReportAllocs()
	b.SetBytes(int64(len(whole)))
	for b.Loop() {
		r := Reader{Shape: shape}
		for _, p := range pieces {
			if _, err := r.WriteString(p); err != nil {
				b.Fatal(err)
			}
			look(&r)
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(pieces)), "ns/piece")
}

func BenchmarkWrite(b *testing.B) { benchmark(b, func(*Reader) {}) }

func BenchmarkWriteGrowing(b *testing.B) { benchmark(b, func(r *Reader) { r.Growing() }) }

func BenchmarkWriteValue(b *testing.B) { benchmark(b, func(r *Reader) { r.Value() }) }

func BenchmarkWriteValueMerge(b *testing.B) {
	whole, _ := document()
	old := []byte(whole)
	benchmark(b, func(r *Reader) {
		text, open := r.Value()
		Merge(old, text, open)
	})
}

func BenchmarkExtract(b *testing.B) {
	whole, _ := document()
	text := "Here you go:\n```json\n" + whole + "\n```\n"
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Extract(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMerge(b *testing.B) {
	whole, pieces := document()
	old := []byte(whole)
	var r Reader
	for _, p := range pieces[:len(pieces)/2] {
		r.WriteString(p)
	}
	text, open := r.Value()
	b.ReportAllocs()
	b.SetBytes(int64(len(whole)))
	for b.Loop() {
		Merge(old, text, open)
	}
}
