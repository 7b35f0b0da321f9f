-- SPDX-License-Identifier: Apache-2.0
-- What tare accounts of gen_scrapes' readings, from the same readings as CSV: seconds that GPUs were read, held by a pod, and active while
-- held. It is let off finding the period, gaps, repeats, short runs, setup, jobs and energy.
WITH moments AS (
	SELECT uuid, t_ms, max(pod) AS pod,
		max(value) FILTER (metric = 'DCGM_FI_PROF_SM_ACTIVE') AS sm,
		max(value) FILTER (metric = 'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE') AS tensor,
		max(value) FILTER (metric = 'DCGM_FI_PROF_DRAM_ACTIVE') AS dram,
		max(value) FILTER (metric = 'DCGM_FI_DEV_GPU_UTIL') AS util,
		max(value) FILTER (metric = 'DCGM_FI_DEV_POWER_USAGE') AS power,
		max(value) FILTER (metric = 'DCGM_FI_DEV_FB_USED') AS used
	FROM read_csv('$FILE', header = true)
	GROUP BY uuid, t_ms
), spans AS (
	SELECT *, t_ms - coalesce(lag(t_ms) OVER (PARTITION BY uuid ORDER BY t_ms), t_ms - 30000) AS ms FROM moments
)
SELECT 'paid', sum(ms) / 1000.0 FROM spans
UNION ALL SELECT 'allocated', sum(ms) / 1000.0 FROM spans WHERE pod IS NOT NULL
UNION ALL SELECT 'active', sum(ms) / 1000.0 FROM spans WHERE pod IS NOT NULL AND (sm >= 0.05 OR tensor >= 0.05)
UNION ALL SELECT 'gpus', count(DISTINCT uuid) FROM spans;
