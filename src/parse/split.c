/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/split.h"

#define ONES 0x0101010101010101u
#define HIGHS 0x8080808080808080u

/* The high bit of every byte of V that is zero, exactly (no carry between bytes). */
static inline uint64_t zero_bytes(uint64_t v)
{
	return ~(((v & ~HIGHS) + ~HIGHS) | v | ~HIGHS);
}

size_t split_find_plain(struct str s, char a, char b, uint32_t *ret_at)
{
	const uint64_t as = (unsigned char)a * ONES, bs = (unsigned char)b * ONES;
	size_t n = 0, i = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	for (; i + 8 <= s.n; i += 8) {
		uint64_t v;
		memcpy(&v, s.p + i, 8);
		for (uint64_t hit = zero_bytes(v ^ as) | zero_bytes(v ^ bs); hit; hit &= hit - 1)
			ret_at[n++] = (uint32_t)(i + (size_t)__builtin_ctzll(hit) / 8);
	}
#else
	(void)as, (void)bs, (void)zero_bytes;
#endif
	for (; i < s.n; i++)
		if (s.p[i] == a || s.p[i] == b)
			ret_at[n++] = (uint32_t)i;
	return n;
}

#ifdef __x86_64__
#include <immintrin.h>

/* The positions of 64 bytes' hits. Eight are written at a time, whether there are so many or not:
   a branch for each hit would be guessed wrong at every row. */
__attribute__((target("avx2,bmi,bmi2,popcnt"))) static inline size_t
put_hits(uint64_t hit, uint32_t base, uint32_t *at, size_t n)
{
	size_t count = (size_t)__builtin_popcountll(hit);
	for (size_t done = 0; done < count; done += 8)
		for (size_t k = 0; k < 8; k++) {
			at[n + done + k] =
			        base + (uint32_t)__builtin_ctzll(hit | (uint64_t)1 << 63);
			hit &= hit - 1;
		}
	return n + count;
}

__attribute__((target("avx2,bmi,bmi2,popcnt"))) static size_t find_avx2(struct str s, char a,
                                                                        char b, uint32_t *ret_at)
{
	const __m256i as = _mm256_set1_epi8(a), bs = _mm256_set1_epi8(b);
	size_t n = 0, i = 0;
	for (; i + 64 <= s.n; i += 64) {
		__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(s.p + i));
		__m256i w = _mm256_loadu_si256((const __m256i *)(const void *)(s.p + i + 32));
		__m256i hv = _mm256_or_si256(_mm256_cmpeq_epi8(v, as), _mm256_cmpeq_epi8(v, bs));
		__m256i hw = _mm256_or_si256(_mm256_cmpeq_epi8(w, as), _mm256_cmpeq_epi8(w, bs));
		uint64_t hit = (uint32_t)_mm256_movemask_epi8(hv) |
		               (uint64_t)(uint32_t)_mm256_movemask_epi8(hw) << 32;
		n = put_hits(hit, (uint32_t)i, ret_at, n);
	}
	size_t tail = split_find_plain(str_sub(s, i, s.n), a, b, ret_at + n);
	for (size_t k = 0; k < tail; k++)
		ret_at[n + k] += (uint32_t)i;
	return n + tail;
}
#endif

size_t split_find(struct str s, char a, char b, uint32_t *ret_at)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
		return find_avx2(s, a, b, ret_at);
#endif
	return split_find_plain(s, a, b, ret_at);
}
