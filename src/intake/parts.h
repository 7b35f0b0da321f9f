/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * parts: what a node counts as a device may be a part of one (replicas of time-slicing, instances
 * under MIG strategy `single`). Nodes say so, and jobs that hold such a thing may stand in another
 * input: here the part becomes the share of each allocation on the node.
 */
struct facts;

/* Of all inputs. Afterwards no node counts parts, so it may be asked again. */
void parts_join(struct facts *f);
