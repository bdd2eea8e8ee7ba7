/* v8frame.h - a function, as V8's profiles in JSON have it. */
#ifndef V8FRAME_H
#define V8FRAME_H

#include "buf.h"
#include "json.h"
#include "reader.h"

/* All zero at first; release with v8frame_free(). */
struct v8frame {
	struct buf name, url;
};

/*
 * Read "callFrame", the object that was entered: the frame is "name
 * url:line:column", counted from 1; those V8 makes up have no url.
 */
uint32_t v8frame_read(struct v8frame *f, struct sink *out, struct json *j);
void v8frame_free(struct v8frame *f);

#endif
