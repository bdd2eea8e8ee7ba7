/* php.h - PHP, the Zend engine. */
#ifndef PHP_H
#define PHP_H

#include "interp/interp_language.h"

extern const struct interp_language php_language;

#endif
