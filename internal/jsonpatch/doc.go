// Package jsonpatch compares JSON documents, applies patches to them and
// carries typed edits over to them, all on their raw text.
//
// The text of a document is the truth: nothing is decoded into Go values, so
// the digits of numbers, the order of members and the members that a Go type
// does not know are what they were.
//
//   - [Compact] and [Check] let in what the other functions take: one JSON
//     value, valid UTF-8, no name twice, no white space.
//   - [Diff] finds a small JSON Patch (RFC 6902) from one document to another.
//   - [Apply] applies a patch, to the letter of RFC 6902 and RFC 6901.
//   - [Rebase] and [Edit] take an edit of a typed value and make it to the
//     document that the value was decoded from.
//
// # How a difference is found
//
// Equal bytes end it. Otherwise the equal ends of the two texts are taken off,
// the first text is read up to the first difference to learn which containers
// are open there, and the innermost container that holds the whole difference
// is found. Only what differs in it is walked, and the same is done again for
// each pair of values found there. Members are compared side by side while
// their names agree, and by name from where they do not. What a comparison of
// bytes isolates (a replaced scalar, a member or element that only one side
// has) is an operation already. The elements of arrays that are on both sides
// but not in the same order go to github.com/wI2L/jsondiff, which finds their
// longest common subsequence; they stand in by class, so it decodes no value.
// Its operations say which elements stay. The others are paired by likeness
// with what is left between two that stay, or moved. A container of which the
// operations would take more bytes than its text is replaced.
//
// # What bounds the cost
//
// Time and memory are in proportion to the text, with these exceptions:
//
//   - jsondiff's subsequence takes eight bytes and a comparison for each pair
//     of elements and is asked while those are at most 100,000. Beyond it,
//     sequences that up to 128 insertions and deletions tell apart are still
//     matched exactly (Myers); others pair the k-th occurrence of a value with
//     the k-th and keep the longest increasing run, in n log n. An array of
//     50,000 elements takes at most 600 bytes an element.
//   - Likeness is looked at for at most 1,024 pairs between two elements that
//     stay, and 1 MiB of text in an array.
//   - Values nested deeper than 256 levels are compared and replaced whole.
//   - [Options.MaxBytes] ends the work when the patch gets that large.
//
// # What it costs
//
// Processor time against encoding/json.Marshal of the same state ("floor") for
// documents of a header, a map and items of sixteen leaves; patch is in bytes.
// Rows say what changed: one leaf in the middle, one item put in front, a
// tenth of the leaves, nothing. Foreign documents have one member more in each
// item than the Go type knows. CompareJSON is jsondiff on the whole documents,
// with numbers kept and without its subsequence. Run
//
//	go test ./internal/jsonpatch -run '^$' -bench 'Publish|Apply'
//
// for the table with allocations, and for Apply, which takes about a tenth of
// what github.com/evanphx/json-patch/v5 does for one leaf of 100 KB.
//
//	size  change        floor    Diff    Edit     Edit  CompareJSON    patch  CompareJSON
//	                                           foreign                 bytes        bytes
//	1KB   leaf         6.1 µs    0.32    0.55     0.76           10       64           64
//	1KB   front        6.6 µs    0.44    0.73     0.71           17      304         2147
//	1KB   tenth        6.0 µs    2.40    2.92     3.71           13      403          403
//	1KB   nothing      5.9 µs    0.01    0.02     0.02            9        0            0
//	10KB  leaf          42 µs    0.26    0.35     0.40           12       65           65
//	10KB  front         43 µs    0.38    0.48     0.52           21      304        19388
//	10KB  tenth         41 µs    1.73    2.03     2.91           15     3645         3645
//	10KB  nothing       42 µs    0.01    0.01     0.01           11        0            0
//	100KB leaf         420 µs    0.22    0.29     0.38           12       66           66
//	100KB front        419 µs    0.29    0.46     0.41           26      304       198055
//	100KB tenth        451 µs    1.42    1.80     2.69           14    38000        38000
//	100KB nothing      426 µs    0.01    0.01     0.01           11        0            0
//	1MB   leaf         4.7 ms    0.23    0.25     0.26           12       67           67
//	1MB   front        4.8 ms    0.25    0.35     0.37           23      304      2046531
//	1MB   tenth        4.8 ms    1.58    1.92     2.78           14   398382       398382
//	1MB   nothing      4.9 ms    0.01    0.01     0.01           11        0            0
package jsonpatch
