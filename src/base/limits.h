/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * limits: every bound on what an input may ask for, by name. Each has a test on both sides.
 */
#define ARENA_BLOCK_BYTES ((size_t)256 * 1024)
#define MMAP_BYTES_MIN (512 * 1024)                /* from here on a block is mapped by itself */
#define LINE_BYTES_MAX ((size_t)1024 * 1024) /* one line of text, one CSV record */
#define FIELDS_MAX 512u                      /* fields in one record */
#define PROM_LABELS_MAX 128u /* of one Prometheus series */
#define SERIES_KEPT_MAX 200000u /* whose labels a reader keeps from piece to piece */
#define SERIES_BYTES_MAX ((size_t)128 << 20) /* and the text of them */
#define JSON_DEPTH_MAX 64u
#define JSON_ITEM_BYTES_MAX ((size_t)64 << 20) /* one element of a JSON list */
#define XML_DEPTH_MAX 32u /* elements inside each other */
#define YAML_BYTES_MAX ((size_t)1 << 20)
#define YAML_DEPTH_MAX 32u      /* lists and maps inside each other */
#define PATTERN_BYTES_MAX 4096u /* one regular expression of a user */
#define PATTERN_STEPS_MAX 100000u
#define PATTERN_DEPTH_MAX 1000u
#define PATTERN_HEAP_KIB_MAX 1024u
#define HOSTLIST_MAX 1000000u /* names that one bracket expression may stand for */
#define NODES_PER_JOB_MAX 1000000u
#define GPUS_MAX 100000000u        /* GPUs in one count */
#define NAME_BYTES_MAX 4096u       /* an interned word; longer ones are cut, counted */
#define FRAGMENT_TASKS_MAX 512u    /* different tasks in the mix that free GPUs are judged by */
#define STEPS_BETWEEN_MAX 10000000 /* steps between two lines of one attempt */
#define REJECTS_SHOWN_MAX 100u
#define ZONE_BYTES_MAX ((size_t)1 << 20)       /* a TZif file */
#define ZONE_CHANGES_MAX 65536u                /* changes, types or names in one */
#define HEAD_BYTES ((size_t)64 * 1024)         /* what a format is recognised by */
#define CHUNK_BYTES ((size_t)1 << 20)          /* read by one thread at a time */
#define CHUNKS_BYTES ((size_t)16 << 20)        /* what all threads read at a time, of records that
                                                  span lines */
#define FACTS_KEPT_BYTES_MAX ((size_t)64 << 20) /* of an input's, whose room serves the next one */
#define FACTS_KEPT_WORDS_MAX 32768u             /* and of its words */
#define CHUNK_ITEMS_BYTES ((size_t)256 << 10)  /* of JSON that is cut between items */
#define CHUNKS_ITEMS_BYTES ((size_t)4 << 20)   /* the same of all threads together */
#define CHUNK_BYTES_MAX ((size_t)16 << 20)     /* a record that spans lines ends within it */
#define WHOLE_BYTES_MAX ((size_t)4 << 30)      /* an input that is read as one piece, unpacked */
#define THREADS_MAX 64u                        /* that read side by side */
#define SORT_FEW_MAX 64u                       /* up to here insertion beats counting digits */
#define SORT_LOOSE_MIN 16384u                  /* from here on parts are sorted by themselves */
#define INPUTS_MAX 100000u                     /* files, once folders are listed */
#define TIME_MS_MIN ((int64_t)-62135596800000) /* 0001-01-01 */
#define TIME_MS_MAX ((int64_t)253402300800000) /* 10000-01-01 */
#define DAYS_EDGES_MAX 200000                  /* days or hours that one report is cut at */
#define ENERGY_WATTS_MAX 10000u /* above, a reading of one GPU is no power, and no energy */
#define GPU_WATTS_MAX 100000u                  /* a reading above is no power of a GPU */
#define GPU_MEBIBYTES_MAX ((uint32_t)16 << 20) /* nor of its memory */
#define GPU_MEGAHERTZ_MAX 100000u      /* nor a clock of it */
#define GPU_LINK_GIGABYTES_MAX 100000u /* nor the rate of a link, GB/s */
#define GPU_CELSIUS_MIN (-100)         /* nor its temperature */
#define GPU_CELSIUS_MAX 1000
#define MIG_PARTS_MAX 64u              /* MIG devices that one GPU lists */
#define BLOCK_ROWS_MAX 8192u                   /* samples of one device in a block */
#define BLOCK_PROCS_MAX 65536u                 /* entries in the process lists of a block */
#define BLOCK_WORDS_MAX 65536u                 /* words that they name */
#define BLOCK_WORDS_BYTES_MAX ((size_t)1 << 20)
#define SYSFS_CARDS_MAX 1024u          /* GPUs in one archive of /sys */
#define SPOOL_SAMPLES ((size_t)65536)     /* samples that are kept as they were read, 25 MB */
#define SPOOL_BYTES ((size_t)64 << 20)    /* of blocks of samples in memory */
