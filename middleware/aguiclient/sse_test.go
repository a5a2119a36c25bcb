package aguiclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/aguistate/aguistate/middleware/agui"
)

// roundTripper is a function that answers requests.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// reads is a body whose reads end where the fixture's do. It notes how many
// events were out whenever more is asked for.
type reads struct {
	pieces [][]byte
	events *int
	after  []int
}

func (r *reads) Read(p []byte) (int, error) {
	r.after = append(r.after, *r.events)
	if len(r.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.pieces[0])
	if r.pieces[0] = r.pieces[0][n:]; len(r.pieces[0]) == 0 {
		r.pieces = r.pieces[1:]
	}
	return n, nil
}

func (r *reads) Close() error { return nil }

func TestStreamsAreReadAsTheReferenceReadsThem(t *testing.T) {
	const (
		ends     = "lines end with CRLF and CR too"
		noStream = "the content type is no event stream"
		schema   = "an event that cannot be read is refused where it is read"
	)
	differ := deviations{
		"crlf_two_events":    ends,
		"crlf_then_lf_frame": ends,
		"cr_only":            ends,
		"html_body":          noStream,
		"protobuf_type_with_parameter_read_as_frames": noStream,
		"protobuf_type_upper_case_read_as_frames":     noStream,
		"malformed_event_is_passed_on":                schema,
	}
	var names []string
	for _, c := range cases[struct {
		Name                string
		ContentType         *string
		Base64              []byte
		Splits              []int
		Events              []json.RawMessage
		Error               string
		EventsAfterEachRead []int
	}](t, "sse.json") {
		names = append(names, c.Name)
		t.Run(c.Name, func(t *testing.T) {
			count := 0
			body := &reads{events: &count}
			last := 0
			for _, at := range append(c.Splits, len(c.Base64)) {
				if at > last {
					body.pieces = append(body.pieces, c.Base64[last:at])
				}
				last = at
			}
			header := http.Header{}
			if c.ContentType != nil {
				header.Set("Content-Type", *c.ContentType)
			}
			transport := HTTP("http://agent.test", &HTTPOptions{Client: &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Header: header, Body: body}, nil
			})}})
			var events []agui.Event
			var failure error
			for e, err := range transport.Run(t.Context(), new(agui.RunAgentInput)) {
				if err != nil {
					failure = err
					continue
				}
				events = append(events, e)
				count++
			}
			differs := (failure != nil) != (c.Error != "") ||
				!reflect.DeepEqual(value(t, eventsJSON(t, events)), value(t, mustJSON(t, append([]json.RawMessage{}, c.Events...))))
			// After the read of the last piece one more is asked for.
			if got := body.after; !differs && c.Error == "" && len(got) > len(c.EventsAfterEachRead) {
				want := c.EventsAfterEachRead
				differs = !slices.Equal(got[1:1+len(want)], want)
			}
			differ.settle(t, c.Name, differs)
			if failure != nil {
				var frame *FrameError
				var response *ResponseError
				if !errors.As(failure, &frame) && !errors.As(failure, &response) {
					t.Errorf("the error is %T: %v", failure, failure)
				}
			}
		})
	}
	differ.complete(t, names)
}

// The lines that the fixtures do not end as the reference wants them.
func TestLineEnds(t *testing.T) {
	const one, two = `data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}`, `data: {"type":"CUSTOM","name":"n","value":1}`
	for name, body := range map[string]string{
		"LF":                  one + "\n\n" + two + "\n\n",
		"CRLF":                one + "\r\n\r\n" + two + "\r\n\r\n",
		"CR":                  one + "\r\r" + two + "\r\r",
		"mixed":               one + "\r\n\n" + two + "\n\r",
		"a mark at the start": "\xef\xbb\xbf" + one + "\r\n\r\n" + two + "\n\n",
		"comments":            ": hi\n" + one + "\n:\n\n:\r\n\r\n\n" + two + "\r: bye\r\r",
		"other fields":        "id: 1\n" + one + "\nevent: x\nretry: 5\n\n" + "data\ndat\ndatax: 1\n" + two,
		"several lines":       "data: {\"type\":\"RUN_STARTED\",\r\ndata:\"threadId\":\"t\",\rdata: \"runId\":\"r\"}\n\n" + two + "\n",
		"many empty lines":    "\n\r\r\n\n" + one + "\n\n\n\n\n" + two + "\n\n\n",
	} {
		for how, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader, "halves": iotest.HalfReader, "with the error": iotest.DataErrReader,
		} {
			f := newFrames(wrap(strings.NewReader(body)), 0)
			var types []string
			for {
				data, err := f.next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatalf("%s, %s: %v", name, how, err)
				}
				e, err := agui.DecodeEvent(data)
				if err != nil {
					t.Fatalf("%s, %s: %v", name, how, err)
				}
				types = append(types, string(e.Type()))
			}
			if got := strings.Join(types, " "); got != "RUN_STARTED CUSTOM" {
				t.Errorf("%s, %s: %s", name, how, got)
			}
			if _, err := f.next(); err != io.EOF {
				t.Errorf("%s, %s: behind the end: %v", name, how, err)
			}
		}
	}
}

// endless repeats a text, and counts what was read of it. It gives up where
// nobody should have come.
type endless struct {
	text string
	read int
}

var errEndless = errors.New("it was read for ever")

func (e *endless) Read(p []byte) (int, error) {
	if e.read > 64<<20 {
		return 0, errEndless
	}
	n := 0
	for n < len(p) {
		n += copy(p[n:], e.text[(e.read+n)%len(e.text):])
	}
	e.read += n
	return n, nil
}

func TestLinesAreBounded(t *testing.T) {
	const most = 1 << 20
	for name, body := range map[string]*endless{
		"an endless data line":    {text: "data: x"},
		"an endless comment":      {text: ": "},
		"an endless field":        {text: "x"},
		"endless lines of a data": {text: "data: x\n"},
		"endless lines of a byte": {text: "data:x\n"},
		"endless empty lines":     {text: "data:\n"},
		"endless lines of CR":     {text: "data:\r"},
		"endless lines of spaces": {text: "data: \r\n"},
	} {
		f := newFrames(body, most)
		_, err := f.next()
		var frame *FrameError
		if !errors.As(err, &frame) || frame.Frame != 1 || !strings.Contains(err.Error(), fmt.Sprint(most)) {
			t.Errorf("%s: %v", name, err)
		}
		if body.read > len("data: \r\n")*most+2*readSize { // for one byte of data
			t.Errorf("%s: %d bytes were read", name, body.read)
		}
		if cap(f.data) > 2*most {
			t.Errorf("%s: %d bytes are held", name, cap(f.data))
		}
	}
	// One that is just as large as it may be is read, and so are many of them.
	line := strings.Repeat("x", most-len("data:")) + "\n\n"
	f := newFrames(strings.NewReader("data:"+line+"data:"+line), most)
	for range 2 {
		if data, err := f.next(); err != nil || len(data) != most-len("data:") {
			t.Errorf("%d bytes, %v", len(data), err)
		}
	}
}

func TestABrokenReadIsNoFrame(t *testing.T) {
	lost := errors.New("connection lost")
	f := newFrames(io.MultiReader(strings.NewReader("data: {\"type\":"), iotest.ErrReader(lost)), 0)
	for range 2 {
		if data, err := f.next(); err != lost {
			t.Errorf("%q, %v", data, err)
		}
	}
}

func FuzzFrames(f *testing.F) {
	for _, s := range []string{"data: a\n\n", "data:a\r\rdata:b\r\n\r\n", "\xef\xbb\xbf: c\ndata", "data:\ndata: \n\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		const most = 64
		read := func(r io.Reader) (out []string) {
			fr := newFrames(r, most)
			for {
				data, err := fr.next()
				if err != nil {
					if err != io.EOF {
						out = append(out, err.Error())
					}
					return out
				}
				if len(data) > most {
					t.Errorf("%d bytes, more than %d", len(data), most)
				}
				out = append(out, string(data))
			}
		}
		whole := read(strings.NewReader(string(body)))
		pieces := read(iotest.OneByteReader(strings.NewReader(string(body))))
		if !reflect.DeepEqual(whole, pieces) {
			t.Errorf("%q in one piece is %q, byte by byte %q", body, whole, pieces)
		}
	})
}
