/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysfs_tar: a tar archive of GPUs' folders in /sys (tar cz --dereference /sys/class/drm/card0, or
 * of copies of them). Whatever stands before cardN does not matter.
 */
#include "read/reader.h"
#include "read/sysfs_card.h"

#define BLOCK 512u

struct entry {
	struct str path, bytes;
	int64_t mtime_ms;
	char type;
};

static struct str field(struct str block, size_t at, size_t n)
{
	struct str s = str_sub(block, at, n);
	return str_sub(s, 0, str_find_byte(s, '\0'));
}

/* Octal digits after blanks; anything else is 0. */
static uint64_t octal(struct str s)
{
	uint64_t v = 0;
	s = str_trim(s);
	for (size_t i = 0; i < s.n && s.p[i] >= '0' && s.p[i] <= '7'; i++)
		v = v << 3 | (uint64_t)(s.p[i] - '0');
	return v;
}

static bool is_header(struct str block)
{
	return block.n >= BLOCK && str_eq(str_sub(block, 257, 5), S("ustar"));
}

/* "27 path=NAME\n" of a pax header. */
static struct str pax_path(struct str records)
{
	struct str line;
	while (str_cut_line(&records, &line)) {
		struct str rest = str_sub(line, str_find_byte(line, ' ') + 1, line.n);
		if (str_starts(rest, S("path=")))
			return str_sub(rest, 5, rest.n);
	}
	return STR_NULL;
}

/* The next entry of ARCHIVE, with the long name that may stand before it. BUF: for a name in two
   parts. False at the end, or where it is cut off. */
static bool next_entry(struct str *archive, char buf[257], struct entry *ret)
{
	struct str long_name = STR_NULL;
	while (is_header(*archive)) {
		struct str block = str_sub(*archive, 0, BLOCK);
		uint64_t size = octal(field(block, 124, 12));
		if (size > archive->n - BLOCK)
			return false;
		struct str prefix = field(block, 345, 155), name = field(block, 0, 100);
		*ret = (struct entry){ .path = name,
			               .bytes = str_sub(*archive, BLOCK, size),
			               .type = block.p[156] };
		uint64_t mtime_s = octal(field(block, 136, 12));
		if (mtime_s < (uint64_t)TIME_MS_MAX / 1000)
			ret->mtime_ms = (int64_t)mtime_s * 1000;
		uint64_t whole = BLOCK + (size + BLOCK - 1) / BLOCK * BLOCK;
		*archive = str_sub(*archive, whole, archive->n);
		if (ret->type == 'x') {
			long_name = pax_path(ret->bytes);
			continue;
		}
		if (ret->type == 'L') {
			long_name = str_sub(ret->bytes, 0, str_find_byte(ret->bytes, '\0'));
			continue;
		}
		if (ret->type == 'g' || ret->type == 'K')
			continue;
		if (prefix.n) {
			memcpy(buf, prefix.p, prefix.n);
			buf[prefix.n] = '/';
			memcpy(buf + prefix.n + 1, name.p, name.n);
			ret->path = (struct str){ buf, prefix.n + 1 + name.n };
		}
		if (long_name.n)
			ret->path = long_name;
		return true;
	}
	return false;
}

/* Cuts PATH behind its last part "cardN" that is followed by more. */
static bool cut_card(struct str path, struct str *ret_card, struct str *ret_name)
{
	bool found = false;
	for (size_t i = 0; i < path.n; i++) {
		struct str part = str_sub(path, i, path.n);
		uint64_t n;
		size_t end = str_find_byte(part, '/');
		if ((i && path.p[i - 1] != '/') || end == part.n || !str_starts(part, S("card")) ||
		    !str_to_u64(str_sub(part, 4, end - 4), &n))
			continue;
		*ret_card = str_sub(path, 0, i + end);
		*ret_name = str_sub(path, i + end + 1, path.n);
		found = ret_name->n > 0;
		if (found)
			return true;
	}
	return found;
}

static int sysfs_tar_recognise(struct str head, const struct read_options *options)
{
	struct entry e;
	struct str card, name;
	char buf[257];
	(void)options;
	while (next_entry(&head, buf, &e))
		if (cut_card(e.path, &card, &name) &&
		    (str_starts(name, S("device/")) || str_starts(name, S("gt"))))
			return 80;
	return 0;
}

static struct sysfs_card *card_at(struct arena *a, struct sysfs_card *cards, size_t *n,
                                  struct str path)
{
	for (size_t i = *n; i-- > 0;)
		if (str_eq(cards[i].path, path))
			return &cards[i];
	if (*n >= SYSFS_CARDS_MAX)
		return NULL;
	cards[*n] = (struct sysfs_card){ .path = str_dup(a, path) };
	return &cards[(*n)++];
}

static enum err_code sysfs_tar_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                    struct facts *f, struct err *err)
{
	auto_arena a = ARENA_NULL;
	struct sysfs_card *cards = ARENA_ARRAY(&a, struct sysfs_card, SYSFS_CARDS_MAX), *c;
	struct str path, name, rest = bytes;
	struct entry e;
	size_t n = 0, over = 0;
	char buf[257];
	(void)line, (void)err;
	while (next_entry(&rest, buf, &e)) {
		if ((e.type != '0' && e.type != '\0') || !cut_card(e.path, &path, &name))
			continue;
		c = card_at(&a, cards, &n, path);
		over += !c;
		if (c)
			*vec_push(&c->files) = (struct sysfs_file){ .name = str_dup(&a, name),
				                                    .bytes = e.bytes,
				                                    .mtime_ms = e.mtime_ms };
	}
	for (size_t i = 0; i < n; i++) {
		sysfs_card_facts(&cards[i], f, run->options);
		vec_deinit(&cards[i].files);
	}
	bool is_cut = rest.n >= BLOCK ? rest.p[0] != '\0' : rest.n > 0;
	if (is_cut || over) {
		f->inputs.v[f->inputs.n - 1].records++;
		facts_reject(f, 0, "%s",
		             over ? "more cards than are read" : "the archive is cut off");
	}
	return ERR_OK;
}

const struct reader reader_sysfs_tar = {
	.name = "sysfs_tar",
	.help = "Readings of AMD and Intel GPUs as files: a tar of their folders in /sys (amdgpu, "
	        "i915, "
	        "xe). FILE@at=TIME says when it was made, else its newest file does.",
	.cut = CUT_WHOLE,
	.recognise = sysfs_tar_recognise,
	.open = reader_open_plain,
	.feed = sysfs_tar_feed,
};
