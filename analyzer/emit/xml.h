/* Text inside XML: escaped, and without what XML 1.0 cannot hold. */
#ifndef CW_EMIT_XML_H
#define CW_EMIT_XML_H

#include "base/str.h"

/* Appends text for content or a quoted attribute. Markup characters and line ends become references; control
 * characters, bytes that are not UTF-8 and non-characters become U+FFFD. The same escapes are right in HTML. */
void cw_xml_add(struct cw_buf *out, cw_str text);
void cw_xml_puts(struct cw_buf *out, const char *text); /* NULL is empty */
/* ` name="text"` */
void cw_xml_attribute(struct cw_buf *out, const char *name, const char *text);
void cw_xml_number(struct cw_buf *out, const char *name, unsigned value);

#endif
