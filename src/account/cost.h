/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * cost: the ledger's cells in money (ledger.md 5). A view: the cells stay as they are, and can be
 * priced again.
 *
 * Money is exact: num / den whole units of the currency, den the same for every cell. A cell takes
 * the price of the most specific match (node, then pool, then model, then any) that covers its
 * bucket; a cell without one has no cost, which is not a cost of zero. Storage, network and
 * platform are spread over the paid time that they cover; credits are a line of their own and in no
 * cell.
 */
#include "account/ledger.h"

struct cost {
	bool has_price;     /* some price was given */
	sym currency;       /* 0: none named */
	unsigned decimals;  /* of the currency's minor unit (ISO 4217) */
	i128 den;           /* > 0; a multiple of 10^decimals */
	i128 *nums;         /* by cell; 0 where there is no price; in A; NULL: no prices at all */
	uint32_t *price_of; /* by cell: index into facts.prices, or NONE; in A; NULL: no prices at
	                       all */
	i128 priced_units;
	i128 other_num;    /* storage, network, platform: contained in nums */
	i128 unspread_num; /* what of them fell on time without a cell: contained in nothing */
	i128 credit_num;   /* negative: money back */
};

/* ERR_INPUT: prices for the same thing that overlap, or more than one currency; ERR_IDENTITY: a sum
   left its range. Without prices it succeeds and has_price is false. */
enum err_code cost_build(struct arena *a, const struct ledger *l, const struct facts *f,
                         struct cost *ret_cost, struct err *err) NODISCARD;
/* Decimals of a currency's minor unit; 2 when it is not known. */
unsigned cost_decimals(struct str currency);
