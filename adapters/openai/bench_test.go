package openai

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

const benchChunks = 1000

// recorded is a stream as OpenAI sends it, of text or of a call's arguments.
func recorded(delta string) []byte {
	var b strings.Builder
	chunk := func(choices, usage string) {
		fmt.Fprintf(&b, `data: {"id":"chatcmpl-AdCbXyZ0123456789","object":"chat.completion.chunk","created":1733500000,"model":"gpt-4o-mini-2024-07-18","service_tier":"default","system_fingerprint":"fp_0705bf87c0","choices":%s,"usage":%s}`+"\n\n", choices, usage)
	}
	chunk(`[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"add","arguments":""}}],"refusal":null},"logprobs":null,"finish_reason":null}]`, "null")
	for range benchChunks {
		chunk(`[{"index":0,"delta":`+delta+`,"logprobs":null,"finish_reason":null}]`, "null")
	}
	chunk(`[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]`, "null")
	chunk(`[]`, `{"prompt_tokens":19,"completion_tokens":1000,"total_tokens":1019,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}`)
	b.WriteString("data: [DONE]\n\n")
	return []byte(b.String())
}

var benchStreams = []struct {
	name string
	body []byte
}{
	{"text", recorded(`{"content":" ingredients"}`)},
	{"arguments", recorded(`{"tool_calls":[{"index":0,"function":{"arguments":"\"name"}}]}`)},
}

// recvAll reads a stream with the SDK alone.
func recvAll(t testing.TB, body []byte) {
	config := goopenai.DefaultConfig("key")
	config.HTTPClient = fixed(body, 4<<10)
	stream, err := goopenai.NewClientWithConfig(config).CreateChatCompletionStream(t.Context(), goopenai.ChatCompletionRequest{
		Model: "gpt-4o-mini", Messages: []goopenai.ChatCompletionMessage{{Role: "user", Content: "hi"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	n := 0
	for ; ; n++ {
		if _, err := stream.Recv(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if n != benchChunks+3 {
		t.Fatalf("%d chunks", n)
	}
}

// streamAll reads a stream through the adapter.
func streamAll(t testing.TB, body []byte) { streamWith(t, body, false) }

// streamReusing does so in one update.
func streamReusing(t testing.TB, body []byte) { streamWith(t, body, true) }

func streamWith(t testing.TB, body []byte, reuse bool) {
	c := New("gpt-4o-mini", &Options{APIKey: "key", HTTPClient: fixed(body, 4<<10), ReuseUpdates: reuse})
	req := &chat.Request{Messages: []agui.Message{agui.UserMessage("hi")}, Tools: []chat.Tool{{Name: "add"}}}
	n := 0
	for _, err := range c.Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != benchChunks+4 {
		t.Fatalf("%d updates", n)
	}
}

// What the SDK alone costs: the measure for BenchmarkStream.
func BenchmarkRecv(b *testing.B)    { benchmark(b, recvAll) }
func BenchmarkStream(b *testing.B)  { benchmark(b, streamAll) }
func BenchmarkReusing(b *testing.B) { benchmark(b, streamReusing) }

func benchmark(b *testing.B, read func(testing.TB, []byte)) {
	for _, s := range benchStreams {
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				read(b, s.body)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*benchChunks), "ns/chunk")
		})
	}
}

// A chunk costs about half the allocations of the SDK's own loop over the same
// stream; the benchmarks have the times.
func TestAllocationsPerChunk(t *testing.T) {
	for _, s := range benchStreams {
		own := testing.AllocsPerRun(3, func() { streamAll(t, s.body) })
		bare := testing.AllocsPerRun(3, func() { recvAll(t, s.body) })
		if own > 0.6*bare {
			t.Errorf("%s: %.1f allocations per chunk, the SDK alone %.1f", s.name, own/benchChunks, bare/benchChunks)
		}
	}
}
