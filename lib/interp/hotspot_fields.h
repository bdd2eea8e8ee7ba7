/* hotspot_fields.h - names of the fields that HotSpot describes itself by. */
#ifndef HOTSPOT_FIELDS_H
#define HOTSPOT_FIELDS_H

#include "interp/hotspot_layout.h"

/* A field of each id; later versions may have another type or name for it. */
struct hotspot_field_name {
	const char *type, *name;
	enum hotspot_field_id id;
};

/* The same of a static variable. */
struct hotspot_static_name {
	const char *type, *name;
	enum hotspot_static_id id;
};

extern const struct hotspot_field_name hotspot_fields[];
extern const size_t hotspot_fields_n;
extern const struct hotspot_static_name hotspot_fields_static[];
extern const size_t hotspot_fields_statics;
extern const char *const hotspot_fields_type[HOTSPOT_TYPES];

#endif
