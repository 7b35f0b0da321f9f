/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * taken: lists that do not say when they were made, given together. The newest time in a list of
 * pods may be hours old where nothing changes, while nodes report every few minutes. So one list of
 * pods beside lists of nodes is taken to be as new as the newest of them.
 */
struct facts;

void taken_join(struct facts *f);
