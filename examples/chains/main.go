// Command chains puts two things written for langchaingo, an LLMChain and an
// agent, behind AG-UI endpoints, as they are: /translate and /notes. It takes
// the model from OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL.
package main

import (
	"log"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/middleware/aguiecho"
)

func main() {
	model, err := openai.New(openai.WithHTTPClient(langchaingo.HTTPClient(nil)))
	if err != nil {
		log.Fatal(err)
	}
	e := echo.New()
	e.Use(middleware.CORS())
	aguiecho.Map(e, "/translate", translatorAgent(model), nil)
	aguiecho.Map(e, "/notes", notesAgent(model), nil)
	e.Logger.Fatal(e.Start("127.0.0.1:8080"))
}
