// Package partialjson reads JSON while a model writes it.
//
// A [Reader] takes the pieces of one value, cut anywhere, and always knows
// what of it can be shown: the longest prefix that cannot be taken back,
// closed into a document. [Merge] lays that over the document that is being
// replaced. [Extract] is for an answer that is finished.
package partialjson
