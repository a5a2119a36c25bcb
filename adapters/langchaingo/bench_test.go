package langchaingo_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/llms/openai"

	"github.com/aguistate/aguistate/adapters/langchaingo"
)

// canned answers every request with one body, without a network.
type canned string

func (c canned) RoundTrip(req *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, req.Body)
	req.Body.Close()
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(c))), Request: req,
	}, nil
}

// BenchmarkStream reads an answer of 1000 pieces; the bytes are those of the
// text.
func BenchmarkStream(b *testing.B) {
	const pieces = 1000
	body := canned(strings.Repeat(sse(delta(`{"content":" word"}`)), pieces) + sse(finish("stop"), done))
	for name, client := range map[string]*http.Client{
		"bare": {Transport: body}, "HTTPClient": langchaingo.HTTPClient(&http.Client{Transport: body}),
	} {
		b.Run(name, func(b *testing.B) {
			model, err := openai.New(openai.WithToken("-"), openai.WithHTTPClient(client))
			if err != nil {
				b.Fatal(err)
			}
			c := langchaingo.New(model, nil)
			b.ReportAllocs()
			b.SetBytes(int64(pieces * len(" word")))
			for b.Loop() {
				n := 0
				for u, err := range c.Stream(b.Context(), hello()) {
					if err != nil {
						b.Fatal(err)
					}
					n += len(u.Text)
				}
				if n != pieces*len(" word") {
					b.Fatalf("%d bytes of text", n)
				}
			}
		})
	}
}
