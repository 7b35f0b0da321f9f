/* SPDX-License-Identifier: Apache-2.0 */
#include "read/nvidia_smi.h"

/* What nvidia-smi prints for a value that it has not, with and without brackets, in any case. */
static const struct {
	const char *word;
	enum why why;
} words[] = {
	{ "", WHY_ABSENT },
	{ "N/A", WHY_UNSUPPORTED },
	{ "Not Supported", WHY_UNSUPPORTED },
	{ "Function Not Found", WHY_UNSUPPORTED },
	{ "Requested functionality has been deprecated", WHY_UNSUPPORTED },
	{ "Insufficient Permissions", WHY_NO_PERMISSION },
	{ "No Permission", WHY_NO_PERMISSION },
	{ "Insufficient Permission", WHY_NO_PERMISSION },
	{ "GPU is lost", WHY_LOST },
	{ "GPU requires reset", WHY_LOST },
	{ "Reset required", WHY_LOST },
	{ "Unknown Error", WHY_LOST },
	{ "ERR!", WHY_LOST },
	{ "Error", WHY_LOST },
	{ "Driver Not Loaded", WHY_LOST },
	{ "Timeout", WHY_NOT_READY },
	{ "Not Ready", WHY_NOT_READY },
	{ "In Use", WHY_NOT_READY },
	{ "Not Found", WHY_ABSENT },
	{ "No Data", WHY_ABSENT },
	{ "Unknown", WHY_ABSENT },
	{ "None", WHY_ABSENT },
	{ "-", WHY_ABSENT },
	{ "nan", WHY_ABSENT },
};

enum why smi_word(struct str s)
{
	bool is_bracketed = s.n >= 2 && s.p[0] == '[' && s.p[s.n - 1] == ']';
	if (is_bracketed)
		s = str_trim(str_sub(s, 1, s.n - 2));
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_eq_nocase(s, str_of(words[i].word)))
			return words[i].why;
	return is_bracketed ? WHY_ABSENT : WHY_KNOWN; /* a newer driver's word */
}

/* Cuts the unit off S; false: a unit that is none of ours. */
static bool cut_unit(struct str *s, char *unit)
{
	size_t n = s->n;
	while (n && ((s->p[n - 1] >= 'a' && s->p[n - 1] <= 'z') ||
	             (s->p[n - 1] >= 'A' && s->p[n - 1] <= 'Z') || s->p[n - 1] == '%'))
		n--;
	struct str u = str_sub(*s, n, s->n);
	if (!u.n)
		return true;
	*s = str_trim(str_sub(*s, 0, n));
	*unit = '\0';
	static const char *const plain[] = { "%", "W", "MiB", "MB", "MHz", "C" };
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		if (str_eq(u, str_of(plain[i])))
			return true;
	if (str_eq(u, S("mW")))
		*unit = 'm';
	else if (str_eq(u, S("KiB")))
		*unit = 'k';
	else if (str_eq(u, S("GiB")))
		*unit = 'G';
	return *unit;
}

enum why smi_number(struct str s, char unit, unsigned decimals, int64_t max, int64_t *ret,
                    bool *ret_bad)
{
	int64_t v;
	uint64_t whole;
	*ret_bad = false;
	enum why why = smi_word(s);
	if (why != WHY_KNOWN)
		return why;
	*ret_bad = !cut_unit(&s, &unit);
	if (*ret_bad)
		return WHY_ABSENT;
	if (!str_to_fixed(s, decimals, &v)) {
		*ret_bad = !str_to_u64(s, &whole); /* all bits set: the driver's own "no value" */
		return *ret_bad ? WHY_ABSENT : WHY_OUT_OF_RANGE;
	}
	if (v < 0 || v / 1024 > max)
		return WHY_OUT_OF_RANGE;
	v = unit == 'm' ? v / 1000 : unit == 'k' ? v / 1024 : unit == 'G' ? v * 1024 : v;
	if (v > max)
		return WHY_OUT_OF_RANGE;
	*ret = v;
	return WHY_KNOWN;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

enum why smi_mask(struct str s, int64_t *ret, bool *ret_bad)
{
	uint64_t v = 0;
	*ret_bad = false;
	enum why why = smi_word(s);
	if (why != WHY_KNOWN)
		return why;
	*ret_bad = !str_starts_nocase(s, S("0x")) || s.n < 3 || s.n > 18;
	for (size_t i = 2; i < s.n && !*ret_bad; i++) {
		*ret_bad = !is_hex(s.p[i]);
		v = v << 4 | (uint64_t)(s.p[i] <= '9' ? s.p[i] - '0' : (s.p[i] | 0x20) - 'a' + 10);
	}
	if (*ret_bad)
		return WHY_ABSENT;
	if (v > INT64_MAX)
		return WHY_OUT_OF_RANGE;
	*ret = (int64_t)v;
	return WHY_KNOWN;
}

enum why smi_idle(struct str s, bool is_mask, int64_t *ret, bool *ret_bad)
{
	*ret_bad = false;
	enum why why = smi_word(s);
	if (why != WHY_KNOWN)
		return why;
	if (!is_mask && (str_eq_nocase(s, S("Active")) || str_eq(s, S("1")))) {
		*ret = 1;
		return WHY_KNOWN;
	}
	if (!is_mask && (str_eq_nocase(s, S("Not Active")) || str_eq(s, S("0")))) {
		*ret = 0;
		return WHY_KNOWN;
	}
	*ret_bad = true;
	if (!is_mask || !str_starts_nocase(s, S("0x")) || s.n < 3 || s.n > 18)
		return WHY_ABSENT;
	for (size_t i = 2; i < s.n; i++)
		if (!is_hex(s.p[i]))
			return WHY_ABSENT;
	char c = s.p[s.n - 1];
	*ret_bad = false;
	*ret = (c <= '9' ? c : c + 1) & 1; /* 'A', which is 0x41, stands for 10 */
	return WHY_KNOWN;
}

void smi_processes(struct facts *f, struct str text, struct sample *s)
{
	struct str pid;
	uint64_t number;
	s->procs_why = (uint8_t)smi_word(text);
	s->procs_at = (uint32_t)f->syms.n;
	if (s->procs_why != WHY_KNOWN || str_eq(text, S(SMI_NOBODY)))
		return;
	while (str_cut(&text, ' ', &pid)) {
		char z[32] = "pid ";
		if (!str_to_u64(pid, &number) || pid.n > 20)
			continue;
		memcpy(z + 4, pid.p, pid.n);
		*vec_push(&f->syms) = facts_word(f, (struct str){ z, 4 + pid.n });
		s->procs_n++;
	}
	if (!s->procs_n)
		s->procs_why = WHY_ABSENT; /* words that are none of ours */
}

/* "hh:hh.d" at P, 7 bytes. */
static bool is_slot(const char *p)
{
	return is_hex(p[0]) && is_hex(p[1]) && p[2] == ':' && is_hex(p[3]) && is_hex(p[4]) &&
	       p[5] == '.' && p[6] >= '0' && p[6] <= '7';
}

bool smi_pci(struct str s, char ret[17])
{
	for (size_t i = 5; i + 7 <= s.n; i++) {
		if (s.p[i - 1] != ':' || !is_slot(s.p + i))
			continue;
		size_t n = 0;
		while (n < 8 && n < i - 1 && is_hex(s.p[i - 2 - n]))
			n++;
		if (n < 4)
			continue;
		memset(ret, '0', 8);
		for (size_t k = 0; k < n; k++)
			ret[8 - n + k] = s.p[i - 1 - n + k];
		ret[8] = ':';
		memcpy(ret + 9, s.p + i, 7);
		ret[16] = '\0';
		for (int k = 0; k < 16; k++)
			if (ret[k] >= 'a' && ret[k] <= 'f')
				ret[k] = (char)(ret[k] - 0x20);
		return true;
	}
	return false;
}

static bool smi_is_utf16(struct str head)
{
	return str_starts(head, S("\xff\xfe")) || str_starts(head, S("\xfe\xff"));
}

static void add_code(struct text *t, uint32_t c)
{
	if (c < 0x80) {
		text_byte(t, (char)c);
	} else if (c < 0x800) {
		text_byte(t, (char)(0xc0 | c >> 6));
		text_byte(t, (char)(0x80 | (c & 63)));
	} else if (c < 0x10000) {
		text_byte(t, (char)(0xe0 | c >> 12));
		text_byte(t, (char)(0x80 | (c >> 6 & 63)));
		text_byte(t, (char)(0x80 | (c & 63)));
	} else {
		text_byte(t, (char)(0xf0 | c >> 18));
		text_byte(t, (char)(0x80 | (c >> 12 & 63)));
		text_byte(t, (char)(0x80 | (c >> 6 & 63)));
		text_byte(t, (char)(0x80 | (c & 63)));
	}
}

static uint32_t unit_at(struct str s, size_t i, bool is_big)
{
	uint32_t a = (unsigned char)s.p[i], b = (unsigned char)s.p[i + 1];
	return is_big ? a << 8 | b : b << 8 | a;
}

static void smi_utf8(struct text *t, struct str bytes)
{
	bool is_big = str_starts(bytes, S("\xfe\xff"));
	for (size_t i = 2; i + 2 <= bytes.n; i += 2) {
		uint32_t c = unit_at(bytes, i, is_big);
		if (c == 0xfeff)
			continue; /* PowerShell's >> begins again */
		if (c >= 0xd800 && c < 0xe000) {
			uint32_t d = i + 4 <= bytes.n ? unit_at(bytes, i + 2, is_big) : 0;
			bool is_pair = c < 0xdc00 && d >= 0xdc00 && d < 0xe000;
			c = is_pair ? 0x10000 + ((c - 0xd800) << 10) + (d - 0xdc00) : 0xfffd;
			i += is_pair ? 2 : 0;
		}
		add_code(t, c);
	}
}

struct str smi_plain(struct text *buf, struct str bytes)
{
	if (smi_is_utf16(bytes)) {
		smi_utf8(buf, bytes);
		return text_str(buf);
	}
	return str_starts(bytes, S("\xef\xbb\xbf")) ? str_sub(bytes, 3, bytes.n) : bytes;
}
