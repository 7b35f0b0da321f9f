#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prometheus' own parser alone over a file of scrapes: counts samples and does nothing with them. Debian's python3-prometheus-client."""
import sys

from prometheus_client.parser import text_fd_to_metric_families

with open(sys.argv[1], encoding="utf-8") as scrapes:
    print("samples\t%d" % sum(len(family.samples) for family in text_fd_to_metric_families(scrapes)))
