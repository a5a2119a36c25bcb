// Package aguiecho serves a [chat.Client] as an AG-UI endpoint on Echo v4. It
// is a thin face of package aguihttp, which has the laws and the options, and
// the only package of this module that imports Echo v4.
//
//	e := echo.New()
//	e.Use(middleware.Recover(), middleware.CORS())
//	aguiecho.Map(e, "/agent", client, nil)
//
// # Echo's middleware
//
// Recover, Logger, RequestLogger, CORS, BodyLimit, RequestID, ContextTimeout,
// Secure and JWT work as on any route. Gzip works too, but its buffers take
// some 350 KiB per open stream: skip it for the endpoint. Under Timeout, which
// buffers the whole response, the endpoint answers 500 and says so: use
// ContextTimeout, which ends the run with RUN_ERROR.
//
// # What the chain sees
//
// Middlewares and tools get no [echo.Context]: Echo reuses it for another
// request when the handler returns. [Get] reads its values, and
// aguihttp.RequestFrom gives the request, with the route's parameters by
// [http.Request.PathValue], decoded as net/http decodes them: of /a%2Fb Echo's
// own Param gives a%2Fb.
package aguiecho
