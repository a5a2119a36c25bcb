package chat

// The codes of failures of a model's server, for all adapters.
const (
	CodeAuthentication = "AUTHENTICATION"      // 401, 403, or no API key
	CodeModelNotFound  = "MODEL_NOT_FOUND"     // 404: no such model, deployment or address
	CodeContextLength  = "CONTEXT_LENGTH"      // 413, or said so by the server
	CodeContentFilter  = "CONTENT_FILTER"      // refused by a filter
	CodeRateLimited    = "RATE_LIMITED"        // 429
	CodeQuota          = "QUOTA_EXCEEDED"      // 402, or said so by the server
	CodeInvalidRequest = "INVALID_REQUEST"     // 400, 422, other 4xx, or a request that cannot be sent
	CodeUnavailable    = "MODEL_UNAVAILABLE"   // 5xx, overloaded, broken, no connection
	CodeIncomplete     = "INCOMPLETE_RESPONSE" // the answer stopped without a finish reason
	CodeBadResponse    = "BAD_RESPONSE"        // the answer does not follow the protocol
)

// modelMessages are the texts that a client may see.
var modelMessages = map[string]string{
	CodeAuthentication: "The model's server refused the credentials.",
	CodeModelNotFound:  "The model's server does not know the model or the address.",
	CodeContextLength:  "The conversation is too long for the model.",
	CodeContentFilter:  "The model's content filter refused the request.",
	CodeRateLimited:    "The model's server has too many requests. Try again later.",
	CodeQuota:          "The quota of the model's account is used up.",
	CodeInvalidRequest: "The model's server refused the request.",
	CodeUnavailable:    "The model's server is not available. Try again later.",
	CodeIncomplete:     "The model's answer broke off before its end.",
	CodeBadResponse:    "The model's server gave an answer that is not understood.",
	CodeTimeout:        "The model's server did not answer in time.",
}

// ModelError returns the error for a failure of a model's server: with a text
// that may be shown, and the cause, which may quote the server, for the log.
// The code is one of those of this package; another gets a general text.
func ModelError(code string, cause error) *Error {
	message := modelMessages[code]
	if message == "" {
		message = generalMessage
	}
	return &Error{Code: code, Message: message, Err: cause}
}
