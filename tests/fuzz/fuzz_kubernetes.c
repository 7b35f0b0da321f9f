/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "facts/document.h"
#include "intake/parts.h"
#include "lib/items.h"
#include "parse/json.h"

extern const struct reader reader_kubernetes, reader_facts;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Any bytes, whole and in pieces; what they say can be exported, and read again without a reject.
   Reading in pieces gives as many jobs: of what is no JSON more may be found in it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size };
	auto_text t = TEXT_NULL;
	struct whole w = whole_read(&reader_kubernetes, bytes);
	struct whole pieces = items_read(&reader_kubernetes, bytes, size / 3 + 1);
	if (json_is_valid(bytes) && (w.f.jobs.n != pieces.f.jobs.n ||
	                             w.f.inputs.v[0].records != pieces.f.inputs.v[0].records))
		abort();
	if (w.f.inputs.v[0].rejected > w.f.inputs.v[0].records)
		abort();
	parts_join(&w.f);
	document_write(&t, &w.f);
	struct whole again = whole_read(&reader_facts, text_str(&t));
	if (again.code || again.f.rejects.n || again.f.jobs.n != w.f.jobs.n ||
	    again.f.capacity.n != w.f.capacity.n || again.f.allocations.n != w.f.allocations.n)
		abort();
	whole_drop(&again);
	whole_drop(&pieces);
	whole_drop(&w);
	return 0;
}
