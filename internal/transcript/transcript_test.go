package transcript

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	tr, err := Parse("About it.\n-- call --\n{\"model\":\"m\",\"options\":{\"maxTokens\":3}}\n-- response 429 Retry-After=0 X=a=b --\n{}\n-- response 200 --\ndata: x\n\n-- updates --\n{}\n")
	if err != nil {
		t.Fatal(err)
	}
	if tr.Call.Model != "m" || tr.Call.Options.MaxTokens != 3 || len(tr.Responses) != 2 {
		t.Errorf("%+v", tr)
	}
	if r := tr.Responses[0]; r.Status != 429 || r.Header[1] != [2]string{"X", "a=b"} || r.Body != "{}\n" {
		t.Errorf("%+v", r)
	}
	if tr.Responses[1].Body != "data: x\n\n" {
		t.Errorf("%q", tr.Responses[1].Body)
	}
	if in, err := tr.Input(); err != nil || len(in.Messages) != 1 {
		t.Errorf("%+v %v", in, err)
	}
	if got := string(tr.format()); !strings.HasPrefix(got, "About it.\n-- call --\n") || !strings.HasSuffix(got, "-- updates --\n{}\n") {
		t.Errorf("%s", got)
	}
	for text, want := range map[string]string{
		"":                                     "no response",
		"-- respnse 200 --\n":                  `"respnse"`,
		"-- response ok --\n":                  `"ok"`,
		"-- response 200 X --\n":               `"X"`,
		"-- call --\n{\"modl\":1}\n":           "modl",
		"-- call --\n{\n-- response 200 --\nx": "call",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestServer(t *testing.T) {
	for body, want := range map[string]string{
		"a\nb\n":                   "a\nb\n",
		"a\n@open\n":               "a",
		"a\n@open\n@bytes 0d 00\n": "a\r\x00",
		"@times 3 : x\nb\n":        ": x\n: x\n: x\nb\n",
		"a\n@cut\n":                "a\n (unexpected EOF)",
	} {
		s := NewServer(t, Response{Status: 201, Header: [][2]string{{"X", "y"}}, Body: body})
		resp, err := s.Client().Post(s.URL+"/p", "application/json", strings.NewReader(`{"a":1}`))
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		got := string(b)
		if err != nil {
			got += " (" + err.Error() + ")"
		}
		if got != want || resp.StatusCode != 201 || resp.Header.Get("X") != "y" {
			t.Errorf("%q gives %q, %v", body, got, resp)
		}
		if r := s.Requests(); len(r) != 1 || r[0].Path != "/p" || string(s.Bodies()) != "{\n  \"a\": 1\n}\n" {
			t.Errorf("received %+v", r)
		}
	}
}

// A server that hangs lets go when the client does: closing it would wait
// otherwise.
func TestServerHangs(t *testing.T) {
	s := NewServer(t, Response{Status: http.StatusOK, Body: "a\n@hang\n"})
	resp, err := s.Client().Post(s.URL, "application/json", strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 2)
	if _, err := io.ReadFull(resp.Body, b); err != nil || string(b) != "a\n" {
		t.Errorf("%q %v", b, err)
	}
	resp.Body.Close()
}
