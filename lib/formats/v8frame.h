/* v8frame.h - reads a function in the JSON of V8's profiles. */
#ifndef V8FRAME_H
#define V8FRAME_H

#include "base/buf.h"
#include "codec/json.h"
#include "reader/reader.h"

/* All zero at first; release with v8frame_free(). */
struct v8frame {
	struct buf name, url;
};

/*
 * Read "callFrame", an object that was entered, and return its token.  The name
 * is "name url:line:column", counted from 1; V8's own frames have no url.
 */
uint32_t v8frame_read(struct v8frame *f, struct sink *out, struct json *j);
void v8frame_free(struct v8frame *f);

#endif
