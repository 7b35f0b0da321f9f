/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * met: whether the machines of readings are machines that jobs ran on. Where no reading met a job,
 * this says why: a machine has two names, or none, or it is the times that differ.
 */
#include "facts/facts.h"

struct met {
	sym read, held; /* a machine with GPUs that are named; what a job held, a list perhaps; 0:
	                   none */
	bool same;      /* some machine is both */
};

struct met met_look(const struct facts *f);
