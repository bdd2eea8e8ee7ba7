/* v8heap.h - reads a .heapprofile of V8: live memory, by allocating stack. */
#ifndef V8HEAP_H
#define V8HEAP_H

#include "codec/json.h"
#include "reader/reader.h"

struct v8heap;

/* The input (for messages) and the sink must outlive it. */
struct v8heap *v8heap_new(struct input *in, struct sink *out);
void v8heap_free(struct v8heap *h);

/* Read the tree "head", whose root was entered. */
void v8heap_head(struct v8heap *h, struct json *j);

/* Read "samples", [{"size":8,"nodeId":1}, ...]; call after v8heap_head(). */
void v8heap_samples(struct v8heap *h, struct json *j);

/* Call at the end: pushes the bytes of each node, leaf first. */
void v8heap_push(struct v8heap *h);

#endif
