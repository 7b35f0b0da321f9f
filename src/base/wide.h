/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * wide: 128-bit integers, for sums of GPU-time and money. gcc and clang both have them on every
 * 64-bit target.
 */
__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;
