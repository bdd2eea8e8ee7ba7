/* v8heap.h - a .heapprofile of V8: what functions allocated that is alive. */
#ifndef V8HEAP_H
#define V8HEAP_H

#include "json.h"
#include "reader.h"

struct v8heap;

struct v8heap *v8heap_new(struct input *in, struct sink *out);
void v8heap_free(struct v8heap *h);

/* Read the tree "head", of which the root was entered. */
void v8heap_head(struct v8heap *h, struct json *j);

/* Read "samples", [{"size":8,"nodeId":1}, ...], which must come behind it. */
void v8heap_samples(struct v8heap *h, struct json *j);

/* Push the bytes of each node that has some, leaf first. */
void v8heap_push(struct v8heap *h);

#endif
